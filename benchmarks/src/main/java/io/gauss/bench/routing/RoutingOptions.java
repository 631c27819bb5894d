package io.gauss.bench.routing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How to compare ways to choose nodes.
 *
 * @param addresses of compute nodes, {@code host:port}; tables are loaded by the first
 * @param clients number of concurrent clients, each with a connection of the driver
 * @param rounds in which each mode has its turn
 * @param seconds measured in each turn
 * @param settle seconds before that, at least; then until transfers per transaction no longer
 *     change much
 * @param settleMost seconds before measuring, at most
 * @param learn seconds of transactions on any node before the rounds
 * @param learnMost further seconds, at most, until the publications know the load
 * @param modes in the order of their turns
 * @param load whether to load even when the tables exist
 * @param seed of all random choices
 */
public record RoutingOptions(
    List<String> addresses,
    String user,
    String password,
    int clients,
    int rounds,
    int seconds,
    int settle,
    int settleMost,
    int learn,
    int learnMost,
    List<RoutingMode> modes,
    boolean load,
    long seed) {

  /**
   * A URL for a client.
   *
   * @param client its number, from 0 on
   */
  String url(RoutingMode mode, int client) {
    if (mode == RoutingMode.PGJDBC) {
      return "jdbc:postgresql://" + addresses.get(client % addresses.size()) + "/gauss";
    }
    // Clients that stay on the node to which they were opened should be spread over all nodes; the
    // others share their router.
    return url(mode.properties(), mode == RoutingMode.STICKY ? client : 0);
  }

  /**
   * A URL of the driver with all nodes.
   *
   * @param first which of them comes first, from 0 on; wraps around
   */
  String url(String properties, int first) {
    List<String> hosts = new ArrayList<>(addresses);
    Collections.rotate(hosts, -(first % hosts.size()));
    return "jdbc:gauss://" + String.join(",", hosts) + "/gauss?" + properties;
  }
}
