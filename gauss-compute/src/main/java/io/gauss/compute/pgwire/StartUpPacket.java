package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.message.MessageReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters that a client sends at the start.
 *
 * @param parameters user, database, options, and settings by name
 * @param unknownOptions protocol extensions that the client requested; none is supported
 */
record StartUpPacket(Map<String, String> parameters, List<String> unknownOptions) {
  private static final String OPTION_PREFIX = "_pq_.";

  /**
   * Reads the pairs of names and values behind the protocol version, which end with an empty name.
   *
   * @throws GaussException 08P01 when they do not, or when anything follows
   */
  static StartUpPacket read(MessageReader reader) {
    Map<String, String> parameters = new HashMap<>();
    List<String> unknownOptions = new ArrayList<>();
    try {
      for (String name = reader.readCString(); !name.isEmpty(); name = reader.readCString()) {
        String value = reader.readCString();
        if (name.startsWith(OPTION_PREFIX)) {
          unknownOptions.add(name);
        } else {
          parameters.put(name, value);
        }
      }
      reader.finish();
    } catch (GaussException e) {
      throw e.state() == SqlState.PROTOCOL_VIOLATION ? badLayout(e) : e;
    }
    return new StartUpPacket(parameters, unknownOptions);
  }

  String user() {
    return parameters.getOrDefault("user", "");
  }

  private static GaussException badLayout(GaussException cause) {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION,
        "invalid startup packet layout: expected terminator as last byte",
        cause);
  }
}
