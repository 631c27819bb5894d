package io.gauss.bench;

import io.gauss.bench.cost.ServerProcess;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** CPU time that the servers of some URLs use between two points in time. Not thread-safe. */
final class CpuUse {
  private final List<Optional<ServerProcess>> servers;
  private final List<OptionalDouble> before;
  private List<OptionalDouble> after = List.of();

  private CpuUse(List<Optional<ServerProcess>> servers) {
    this.servers = servers;
    before = read();
  }

  static CpuUse begin(List<String> urls) {
    return new CpuUse(urls.stream().map(ServerProcess::of).toList());
  }

  void end() {
    after = read();
  }

  private List<OptionalDouble> read() {
    return servers.stream()
        .map(server -> server.map(ServerProcess::seconds).orElse(OptionalDouble.empty()))
        .toList();
  }

  /** Seconds of one server, null when they are not known. */
  Double seconds(int server) {
    return before.get(server).isPresent() && after.get(server).isPresent()
        ? after.get(server).getAsDouble() - before.get(server).getAsDouble()
        : null;
  }

  /**
   * Seconds of all servers; a process with several of the URLs counts once; null when one is not
   * known.
   */
  Double total() {
    Set<ServerProcess> counted = new HashSet<>();
    double sum = 0;
    for (int server = 0; server < servers.size(); server++) {
      Double seconds = seconds(server);
      if (seconds == null) {
        return null;
      }
      if (counted.add(servers.get(server).orElseThrow())) {
        sum += seconds;
      }
    }
    return sum;
  }
}
