package io.gauss.server.routing;

import io.gauss.compute.routing.data.AccessSample;
import io.gauss.jdbc.routing.statement.Operator;
import io.gauss.jdbc.routing.statement.Predicate;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementCache;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import io.gauss.router.train.TransactionSample;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  private static final Pattern DERIVED =
      Pattern.compile("(?:\\b(?:from|join|using|lateral)|,) \\(|\\( (?:select|with|values)\\b");

  private final StatementCache statements = new StatementCache(TEXTS);
  private final Pattern excluded; // null = nothing is
  private final Set<String> excludedNames;
  private final KeyGroups keys;
  private final Tables tables;

  /** Tells where rows are. */
  @FunctionalInterface
  interface KeyGroups {
    /** The page group of the rows with a value; 0 = not known. */
    long group(String table, String column, String value);
  }

  /** Tells tables' names. */
  interface Tables {
    /** Whether a name as statements have it, {@code table.column}, is of a column of the table. */
    boolean isColumn(int tableOid, String name);

    /** The table's name without its schema; null = there is none. */
    String name(int oid);
  }

  /**
   * @param exclude tables whose values nobody is to learn from, with commas between them; null =
   *     none
   */
  SampleReader(String exclude, KeyGroups keys, Tables tables) {
    this.keys = keys;
    this.tables = tables;
    excludedNames =
        exclude == null
            ? Set.of()
            : Arrays.stream(exclude.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(name -> name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    String names = excludedNames.stream().map(Pattern::quote).collect(Collectors.joining("|"));
    excluded =
        names.isEmpty()
            ? null
            : Pattern.compile("(?<![\\w$])(" + names + ")(?![\\w$])", Pattern.CASE_INSENSITIVE);
  }

  /** Also of statements that name a view of such a table. */
  private boolean isExcluded(StatementTemplate template, int[] oids) {
    return excluded != null
        && (excluded.matcher(template.text()).find()
            || Arrays.stream(oids)
                .mapToObj(tables::name)
                .anyMatch(
                    name -> name != null && excludedNames.contains(name.toLowerCase(Locale.ROOT))));
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
    boolean isExcluded = isExcluded(template, sample.tables());
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
            isExcluded ? 0 : keyGroup(template, statement.values(sample.values())),
            sample.role(),
            tables(template, sample.tables())));
  }

  /**
   * For each predicate the tables of which its value may be: the table that it names, or all of the
   * statement's where its name may be that of something else.
   */
  private int[][] tables(StatementTemplate template, int[] oids) {
    boolean isPlain =
        template.kind() == StatementTemplate.Kind.INSERT || !hasDerived(template.text());
    return template.predicates().stream()
        .map(
            predicate -> {
              int[] named =
                  isPlain
                      ? Arrays.stream(oids)
                          .filter(oid -> tables.isColumn(oid, predicate.column()))
                          .toArray()
                      : new int[0];
              return named.length > 0 ? named : oids;
            })
        .toArray(int[][]::new);
  }

  /** Whether there may be tables in FROM that are results: their columns have any names. */
  private static boolean hasDerived(String text) {
    int where = text.indexOf(" where ");
    return DERIVED.matcher(where < 0 ? text : text.substring(0, where)).find();
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
