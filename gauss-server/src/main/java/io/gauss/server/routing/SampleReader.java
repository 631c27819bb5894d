package io.gauss.server.routing;

import io.gauss.compute.routing.data.AccessSample;
import io.gauss.jdbc.routing.statement.Operator;
import io.gauss.jdbc.routing.statement.Predicate;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementCache;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import io.gauss.router.train.TransactionSample;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
  private final Pattern excluded; // null = nothing is
  private final KeyGroups keys;

  /** Tells where rows are. */
  @FunctionalInterface
  interface KeyGroups {
    /** The page group of the rows with a value; 0 = not known. */
    long group(String table, String column, String value);
  }

  /**
   * @param tables whose values nobody is to learn from, with commas between them; null = none
   */
  SampleReader(String tables, KeyGroups keys) {
    this.keys = keys;
    String names =
        tables == null
            ? ""
            : Arrays.stream(tables.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(name -> Pattern.quote(name.substring(name.lastIndexOf('.') + 1)))
                .collect(Collectors.joining("|"));
    excluded =
        names.isEmpty()
            ? null
            : Pattern.compile("(?<![\\w$])(" + names + ")(?![\\w$])", Pattern.CASE_INSENSITIVE);
  }

  /**
   * @param numbers by slot, the compute nodes' numbers as drivers know them
   * @param cost processor time of an access to a page, by the node's number
   * @return empty when nothing can be learned from it
   */
  Optional<TransactionSample> read(
      AccessSample sample, Map<Integer, Integer> numbers, IntToDoubleFunction cost) {
    Integer node = numbers.get(sample.node());
    if (node == null
        || !sample.isCommitted()
        || !sample.isComplete()
        || sample.groups().length > MOST_GROUPS) {
      return Optional.empty();
    }
    ReadStatement statement = statements.get(sample.text());
    if (statement.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return Optional.empty();
    }
    StatementTemplate template = statement.template();
    boolean isExcluded = excluded != null && excluded.matcher(template.text()).find();
    return Optional.of(
        new TransactionSample(
            template,
            isExcluded
                ? new Object[template.predicates().size()]
                : statement.values(sample.values()),
            sample.groups(),
            sample.written(),
            sample.moved(),
            node,
            (int) Math.min(sample.transfers(), Integer.MAX_VALUE),
            sample.weight(),
            Math.max(1, sample.accesses()) * cost.applyAsDouble(node),
            isExcluded ? 0 : keyGroup(template, statement.values(sample.values()))));
  }

  /** Of the first predicate that tells. */
  private long keyGroup(StatementTemplate template, Object[] values) {
    for (int i = 0; i < values.length; i++) {
      Predicate predicate = template.predicates().get(i);
      int dot = predicate.column().indexOf('.');
      if (values[i] != null && dot > 0 && predicate.operator() != Operator.TO) {
        long group =
            keys.group(
                predicate.column().substring(0, dot),
                predicate.column().substring(dot + 1),
                values[i].toString());
        if (group != 0) {
          return group;
        }
      }
    }
    return 0;
  }
}
