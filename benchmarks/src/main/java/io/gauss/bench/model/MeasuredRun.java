package io.gauss.bench.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A result of {@code ./gauss bench ... --json} with its costs. All figures are per committed
 * transaction unless they say otherwise.
 *
 * @param name of its file, without the extension
 * @param load name of the benchmark
 * @param sprayed whether each transaction went to any node
 * @param warehouses of TPC-C, else 0
 * @param nodes of each role
 * @param transactionsPerSecond throughput
 * @param cpuMs processor time of each role, without that of children (the process that trains)
 * @param clientMs that of the benchmark's own process
 * @param pageReads answers of page stores
 * @param forwarded transactions that another node ran in the end
 * @param messages that each role has sent to other nodes, of all kinds
 */
record MeasuredRun(
    String name,
    String load,
    boolean sprayed,
    int warehouses,
    Map<Tier, Integer> nodes,
    int clients,
    double transactionsPerSecond,
    Map<Tier, Double> cpuMs,
    double clientMs,
    double transfers,
    double appends,
    double clockMessages,
    double pageReads,
    double forwarded,
    Map<Tier, Double> messages) {
  private static final String JSON = ".json";

  int computeNodes() {
    return nodes.get(Tier.COMPUTE);
  }

  double clusterMs() {
    return cpuMs.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  double clusterMessages() {
    return messages.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** What the operation counts for a role, per transaction of a load. */
  double count(Operation operation, Tier tier) {
    return switch (operation) {
      case TRANSFER -> transfers;
      case APPEND -> appends;
      case CLOCK_MESSAGE -> clockMessages;
      case PAGE_READ -> pageReads;
      case SHARED_COMMIT -> computeNodes() == 1 ? 0 : Loads.measured(load).writing();
      case NODE_SECOND -> nodes.get(tier) / transactionsPerSecond;
    };
  }

  /**
   * All results in a directory, by name.
   *
   * @throws IOException when one cannot be read, or has no costs
   */
  static List<MeasuredRun> all(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> entries = Files.list(directory)) {
      files = entries.filter(file -> file.toString().endsWith(JSON)).sorted().toList();
    }
    List<MeasuredRun> runs = new ArrayList<>();
    for (Path file : files) {
      runs.add(read(file));
    }
    return runs;
  }

  /**
   * A single one.
   *
   * @throws IOException when it cannot be read, or has no costs
   */
  static MeasuredRun read(Path file) throws IOException {
    JsonNode result = new ObjectMapper().readTree(file.toFile());
    String name = file.getFileName().toString();
    Map<Tier, Integer> nodes = new EnumMap<>(Tier.class);
    Map<Tier, Double> cpu = new EnumMap<>(Tier.class);
    Map<Tier, Double> messages = new EnumMap<>(Tier.class);
    for (Tier tier : Tier.values()) {
      JsonNode role = role(result, tier.role(), file);
      nodes.put(tier, role.get("nodes").asInt());
      cpu.put(tier, known(role, "cpuMillis", file));
      messages.put(tier, known(role, "messages", file));
    }
    JsonNode compute = role(result, Tier.COMPUTE.role(), file).get("messagesByType");
    JsonNode storage = role(result, Tier.STORAGE.role(), file).get("messagesByType");
    JsonNode cluster = role(result, "cluster", file);
    return new MeasuredRun(
        name.substring(0, name.length() - JSON.length()),
        result.get("workload").asText(),
        result.path("settings").path("placement").asText().equals("sprayed"),
        result.path("settings").path("warehouses").asInt(),
        nodes,
        result.get("terminals").asInt(),
        result.get("transactionsPerSecond").asDouble(),
        cpu,
        known(role(result, "client", file), "cpuMillis", file),
        known(cluster, "pageTransfers", file),
        compute.path("storage.stream.append").asDouble(),
        compute.path("clock.advance").asDouble(),
        storage.path("storage.pages.read").asDouble(),
        known(cluster, "forwarded", file),
        messages);
  }

  private static JsonNode role(JsonNode result, String role, Path file) throws IOException {
    for (JsonNode cost : result.path("costs")) {
      if (cost.path("role").asText().equals(role)) {
        return cost;
      }
    }
    throw new IOException(file + " has no costs of role " + role);
  }

  private static double known(JsonNode cost, String figure, Path file) throws IOException {
    JsonNode value = cost.path(figure);
    if (!value.isNumber()) {
      throw new IOException(file + " has no " + figure);
    }
    return value.asDouble();
  }
}
