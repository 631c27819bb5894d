package io.gauss.server.routing;

import io.gauss.compute.routing.data.AccessSample;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementCache;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import io.gauss.router.train.TransactionSample;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;

/**
 * Turns the samples of compute nodes into the trainer's samples, reading statements as drivers do.
 * Thread-safe.
 */
final class SampleReader {
  /**
   * A transaction that touches more does not become faster elsewhere, and would join unrelated
   * groups.
   */
  static final int MOST_GROUPS = 64;

  private static final int TEXTS = 1024;

  private final StatementCache statements = new StatementCache(TEXTS);

  /**
   * @param numbers by slot, the compute nodes' numbers as drivers know them
   * @param cost processor time of an access to a page, by the node's number
   * @return empty when nothing can be learned from it
   */
  Optional<TransactionSample> read(
      AccessSample sample, Map<Integer, Integer> numbers, IntToDoubleFunction cost) {
    Integer node = numbers.get(sample.node());
    if (node == null || !sample.isComplete() || sample.groups().length > MOST_GROUPS) {
      return Optional.empty();
    }
    ReadStatement statement = statements.get(sample.text());
    if (statement.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return Optional.empty();
    }
    return Optional.of(
        new TransactionSample(
            statement.template(),
            statement.values(sample.values()),
            sample.groups(),
            sample.written(),
            sample.moved(),
            node,
            (int) Math.min(sample.transfers(), Integer.MAX_VALUE),
            sample.weight(),
            Math.max(1, sample.accesses()) * cost.applyAsDouble(node)));
  }
}
