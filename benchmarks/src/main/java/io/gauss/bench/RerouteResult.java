package io.gauss.bench;

import io.gauss.bench.cost.RoleCost;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * The outcome for a load; what {@code --json} writes.
 *
 * @param throughputChange of the turns with forwarding against those without it in the same round,
 *     transactions per second, percent; null without turns that can be compared
 * @param cpuChange the same of the cluster's processor time per transaction
 * @param violations consistency conditions that do not hold
 */
public record RerouteResult(
    String load,
    List<RerouteTurn> turns,
    Spread throughputChange,
    Spread cpuChange,
    List<String> violations) {
  private static final double PERCENT = 100;

  static RerouteResult of(String load, List<RerouteTurn> turns, List<String> violations) {
    return new RerouteResult(
        load,
        turns,
        change(turns, RerouteTurn::transactionsPerSecond),
        change(turns, turn -> turn.cpuMillis(RoleCost.CLUSTER)),
        violations);
  }

  /** Rounds are compared, and not medians: what changes slowly affects both turns of a round. */
  private static Spread change(List<RerouteTurn> turns, ToDoubleFunction<RerouteTurn> figure) {
    Map<Integer, RerouteTurn> off =
        turns.stream()
            .filter(turn -> !turn.reroute())
            .collect(Collectors.toMap(RerouteTurn::round, Function.identity()));
    DoubleStream changes =
        turns.stream()
            .filter(turn -> turn.reroute() && off.containsKey(turn.round()))
            .mapToDouble(
                turn ->
                    PERCENT
                        * (figure.applyAsDouble(turn) / figure.applyAsDouble(off.get(turn.round()))
                            - 1));
    return Spread.of(changes).orElse(null);
  }
}
