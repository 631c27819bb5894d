package io.gauss.compute.node;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which statements of a script depend on what an earlier statement has left in its session:
 * temporary tables, prepared statements, cursors that outlive their transaction, values in hand of
 * sequences, settings that a transaction block has changed. It goes by names and errs on the side
 * of dependence.
 */
final class SessionState {
  private static final String NAME = "(?:[\\w\"]+\\.)?\"?(\\w+)";

  /** What makes a name that only its own session knows. */
  private static final List<Pattern> OWN_NAMES =
      List.of(
          pattern("\\bcreate\\s+temp(?:orary)?\\s+\\w+\\s+(?:if\\s+not\\s+exists\\s+)?" + NAME),
          pattern("\\bcreate\\s+\\w+\\s+pg_temp\\.\"?(\\w+)"),
          pattern("\\binto\\s+temp(?:orary)?\\s+(?:table\\s+)?" + NAME),
          pattern("^prepare\\s+" + NAME),
          pattern("^declare\\s+" + NAME + ".*\\bwith\\s+hold\\b"));

  /** What a session knows of itself alone. */
  private static final Pattern OWN =
      pattern("\\bpg_(?:cursors|prepared_statements|locks)\\b|\\blastval\\b|_advisory_");

  /** Other sessions name temporary tables by their schemas. */
  private static final Pattern NAMES_TABLES = pattern("^(?:drop\\s+(?:role|owned)|reassign)\\b");

  /** What makes or takes a sequence of its own, whose values a node has in hand. */
  private static final List<Pattern> COUNTERS =
      List.of(
          pattern("^create\\s+sequence\\s+(?:if\\s+not\\s+exists\\s+)?" + NAME),
          pattern("^(?:create|alter)\\s+table\\s+(?:only\\s+)?" + NAME + ".*\\bserial\\b"),
          pattern("^(?:create|alter)\\s+table\\s+(?:only\\s+)?" + NAME + ".*\\bidentity\\b"),
          pattern("^(?:create|alter)\\s+table\\s+(?:only\\s+)?" + NAME + ".*\\bnextval\\b"));

  private static final Pattern COUNTS =
      pattern(
          "\\b(?:insert|update|nextval|setval|currval|lastval|last_value|alter|truncate|copy)\\b");

  /** What makes a name out of others: it may be as much of the session as these are. */
  private static final List<Pattern> MADE_OF_OTHERS =
      List.of(
          pattern("^(?:create|alter)\\b.*?\\b(?:view|table|index|sequence)\\s+" + NAME),
          pattern("^alter\\b.*\\brename\\s+to\\s+" + NAME));

  private static final Pattern BLOCK_BEGINS = pattern("^(?:begin|start\\s+transaction)\\b");
  private static final Pattern BLOCK_ENDS = pattern("^(?:commit|end|abort|rollback(?!\\s+to))\\b");
  private static final Pattern FOR_ALL =
      pattern(
          "^(?:set(?!\\s+(?:local|transaction|constraints))|reset|discard|(?:deallocate|close)\\s+all)"
              + "\\b|\\bset_config\\(.*,\\s*false\\)");

  private final Set<String> ownNames = new HashSet<>();
  private final Set<String> counters = new HashSet<>();

  /** A transaction block has changed settings: other sessions have not got these. */
  private boolean hasOwnSettings;

  private static Pattern pattern(String text) {
    return Pattern.compile(text, Pattern.DOTALL);
  }

  /** Whether a statement changes settings of its session or ends what it has: all have to do it. */
  static boolean isForAll(String sql) {
    return FOR_ALL.matcher(lower(sql)).find();
  }

  /** From there on all statements need the session. */
  boolean hasOwnSettings() {
    return hasOwnSettings;
  }

  private static String lower(String sql) {
    return sql.strip().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether a statement, or a later one of the transaction block that it begins, depends on the
   * session, or makes something that others will depend on. Statements have to be asked for in
   * their order.
   */
  boolean isNeeded(List<String> script, int index) {
    boolean needed = isNeeded(lower(script.get(index))) || hasOwnSettings;
    if (!BLOCK_BEGINS.matcher(lower(script.get(index))).find()) {
      return needed;
    }
    for (int i = index + 1; i < script.size(); i++) {
      String sql = lower(script.get(i));
      if (BLOCK_ENDS.matcher(sql).find()) {
        break;
      }
      hasOwnSettings |= isForAll(sql);
      needed |= isNeeded(sql) || hasOwnSettings;
    }
    return needed;
  }

  private boolean isNeeded(String sql) {
    boolean needed = find(OWN_NAMES, sql, ownNames) || OWN.matcher(sql).find();
    needed |= !ownNames.isEmpty() && NAMES_TABLES.matcher(sql).find();
    if (mentions(ownNames, sql)) {
      find(MADE_OF_OTHERS, sql, ownNames);
      needed = true;
    }
    needed |= find(COUNTERS, sql, counters);
    if (mentions(counters, sql)) {
      find(MADE_OF_OTHERS, sql, counters);
      needed |= COUNTS.matcher(sql).find();
    }
    return needed;
  }

  private static boolean find(List<Pattern> patterns, String sql, Set<String> names) {
    boolean found = false;
    for (Pattern pattern : patterns) {
      Matcher matcher = pattern.matcher(sql);
      while (matcher.find()) {
        names.add(matcher.group(1));
        found = true;
      }
    }
    return found;
  }

  private static boolean mentions(Set<String> names, String sql) {
    return names.stream()
        .anyMatch(name -> Pattern.compile("\\b" + name + "(?:_\\w+_seq)?\\b").matcher(sql).find());
  }
}
