package io.gauss.server;

import java.util.List;
import picocli.CommandLine.Option;

/** Options of commands whose clients use several compute nodes. */
final class ClientNodes {
  @Option(
      names = "--port",
      split = ",",
      defaultValue = "5432,5433,5434",
      description = "Ports of the compute nodes on this machine (${DEFAULT-VALUE}).")
  private List<Integer> ports;

  @Option(
      names = "--address",
      split = ",",
      description = "Instead of ports: HOST:PORT of each compute node.")
  private List<String> addresses = List.of();

  @Option(names = "--user", defaultValue = "gauss", description = "User (${DEFAULT-VALUE}).")
  private String user;

  @Option(
      names = "--password",
      arity = "0..1",
      interactive = true,
      defaultValue = "${env:PGPASSWORD:-}",
      description = "Password; asked for when no value is given (default: PGPASSWORD).")
  private String password;

  /** {@code host:port} of each. */
  List<String> addresses() {
    return addresses.isEmpty()
        ? ports.stream().map(port -> "127.0.0.1:" + port).toList()
        : addresses;
  }

  String user() {
    return user;
  }

  String password() {
    return password;
  }
}
