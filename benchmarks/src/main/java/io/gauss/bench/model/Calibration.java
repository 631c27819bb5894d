package io.gauss.bench.model;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * What operations cost on the machine where they were measured.
 *
 * @param cpuMs processor time of an operation at each role, ms
 * @param loads what each load has of its own, by the name of the benchmark
 * @param messages that the nodes of a role send to other nodes for an operation
 * @param appendsPerTransfer appends that are made because a page is to leave
 * @param sharedFactor how many times more processor time everything took on a machine that others
 *     used; 1 when there were no such results
 */
record Calibration(
    Map<Tier, Map<Operation, Double>> cpuMs,
    Map<String, OwnCosts> loads,
    Map<Tier, Map<Operation, Double>> messages,
    double appendsPerTransfer,
    double sharedFactor) {
  private static final String COMMITTED = "calibration.json";

  /**
   * What a load has of its own.
   *
   * @param computeMs of a compute node: statements, rows, the client's protocol
   * @param clientMs of the client
   * @param transferFactor transfers as measured, divided by what the accesses tell
   */
  record OwnCosts(double computeMs, double clientMs, double transferFactor) {}

  double cpuMs(Tier tier, Operation operation) {
    return cpuMs.get(tier).getOrDefault(operation, 0.0);
  }

  double messages(Tier tier, Operation operation) {
    return messages.get(tier).getOrDefault(operation, 0.0);
  }

  /**
   * Of a benchmark.
   *
   * @throws IllegalArgumentException when it was not measured
   */
  OwnCosts own(String benchmark) {
    OwnCosts own = loads.get(benchmark);
    if (own == null) {
      throw new IllegalArgumentException(
          benchmark + " was not measured, only " + new TreeMap<>(loads).keySet());
    }
    return own;
  }

  /** The same with another processor time of an operation at all roles. */
  Calibration with(Operation operation, DoubleUnaryOperator change) {
    Map<Tier, Map<Operation, Double>> changed = new EnumMap<>(Tier.class);
    cpuMs.forEach(
        (tier, costs) -> {
          Map<Operation, Double> copy = new EnumMap<>(costs);
          copy.computeIfPresent(operation, (same, ms) -> change.applyAsDouble(ms));
          changed.put(tier, copy);
        });
    return new Calibration(changed, loads, messages, appendsPerTransfer, sharedFactor);
  }

  /** The same with other costs of the loads themselves. */
  Calibration withOwn(UnaryOperator<OwnCosts> change) {
    Map<String, OwnCosts> changed = new TreeMap<>();
    loads.forEach((name, own) -> changed.put(name, change.apply(own)));
    return new Calibration(cpuMs, changed, messages, appendsPerTransfer, sharedFactor);
  }

  /** The one that comes with Gauss. */
  static Calibration committed() throws IOException {
    try (InputStream in = Calibration.class.getResourceAsStream(COMMITTED)) {
      return new ObjectMapper().readValue(in, Calibration.class);
    }
  }

  static Calibration read(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), Calibration.class);
  }

  void write(Path file) throws IOException {
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), this);
  }
}
