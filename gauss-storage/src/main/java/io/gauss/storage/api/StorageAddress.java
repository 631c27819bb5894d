package io.gauss.storage.api;

import io.gauss.common.id.Lsn;
import io.gauss.common.transport.NodeAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a storage node, in its text form: {@code 201@10.0.0.5:7201:7301}.
 *
 * @param node its number in the cluster, 1 to 255, different from all other nodes
 * @param host name or address
 * @param port its port for other nodes
 * @param raftPort its port for the members of its Raft groups
 */
public record StorageAddress(int node, String host, int port, int raftPort) {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,5})@(\\S+?):(\\d{1,5}):(\\d{1,5})");

  public StorageAddress {
    if (node < 1 || node > Lsn.MAX_NODE) {
      throw new IllegalArgumentException("storage node number " + node);
    }
  }

  public NodeAddress address() {
    return new NodeAddress(host, port);
  }

  /**
   * @param text addresses with commas between them
   * @throws IllegalArgumentException when one is malformed, or two have the same number
   */
  public static List<StorageAddress> parse(String text) {
    List<StorageAddress> addresses = new ArrayList<>();
    for (String one : text.split(",")) {
      Matcher parts = TEXT.matcher(one.strip());
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "\"" + one.strip() + "\" is not written as number@host:port:raft-port");
      }
      StorageAddress address =
          new StorageAddress(
              Integer.parseInt(parts.group(1)),
              parts.group(2),
              Integer.parseInt(parts.group(3)),
              Integer.parseInt(parts.group(4)));
      if (addresses.stream().anyMatch(other -> other.node == address.node)) {
        throw new IllegalArgumentException("two storage nodes have the number " + address.node);
      }
      addresses.add(address);
    }
    return addresses;
  }

  @Override
  public String toString() {
    return node + "@" + host + ":" + port + ":" + raftPort;
  }
}
