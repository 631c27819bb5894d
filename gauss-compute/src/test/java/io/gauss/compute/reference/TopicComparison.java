package io.gauss.compute.reference;

import io.gauss.compute.reference.PsqlScript.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs one script on both servers, statement by statement, and counts verdicts.
 *
 * <p>When a statement that changes something differs, the object it names is marked; later
 * differences of statements that mention a marked object are consequences, and so are those inside
 * a transaction block that only one server still takes for sound.
 */
final class TopicComparison {
  private static final String NAME = "((?:[\\w]+\\.)?(?:\"[^\"]+\"|\\w+))";
  private static final List<Pattern> CHANGES =
      List.of(
          changing(
              "create\\s+(?:or\\s+replace\\s+)?(?:(?:global|local|temp|temporary|unlogged|unique"
                  + "|recursive|materialized|procedural|trusted|constraint)\\s+)*\\w+\\s+"
                  + "(?:concurrently\\s+)?(?:if\\s+not\\s+exists\\s+)?"),
          changing("(?:alter|drop)\\s+\\w+\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?"),
          changing("(?:with\\b.*)?insert\\s+into\\s+"),
          changing("(?:with\\b.*)?update\\s+(?:only\\s+)?"),
          changing("(?:with\\b.*)?delete\\s+from\\s+(?:only\\s+)?"),
          changing("merge\\s+into\\s+(?:only\\s+)?"),
          changing("truncate\\s+(?:table\\s+)?(?:only\\s+)?"),
          changing("copy\\s+"),
          changing("select\\b.*\\binto\\s+(?:table\\s+|temp\\s+)*"),
          changing("(?:declare|prepare|savepoint)\\s+"),
          changing("(?:set|reset)\\s+(?:session\\s+|local\\s+)?"),
          changing("(?:grant|revoke)\\b.*\\b(?:to|from)\\s+"));

  /** The JDBC driver gives up a connection whose DateStyle is not ISO. */
  private static final Pattern DATE_STYLE =
      Pattern.compile(
          "^(re)?set\\s+((local|session)\\s+)?datestyle|^set_config", Pattern.CASE_INSENSITIVE);

  private static final Pattern BLOCK_BEGINS = Pattern.compile("begin\\b|start\\s+transaction\\b");

  private final String topic;
  private final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
  private final List<String> differences = new ArrayList<>();
  private final Set<String> marked = new HashSet<>();
  private final Set<String> changedInBlock = new HashSet<>();

  TopicComparison(String topic) {
    this.topic = topic;
  }

  private static Pattern changing(String start) {
    return Pattern.compile("\\s*" + start + NAME, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  String topic() {
    return topic;
  }

  int count(Verdict verdict) {
    return counts.getOrDefault(verdict, 0);
  }

  /** Each with its statement and both answers. */
  List<String> differences() {
    return List.copyOf(differences);
  }

  void run(List<Step> steps, Connection gauss, Connection postgres) throws SQLException {
    for (Step step : steps) {
      if (DATE_STYLE.matcher(step.sql()).find()) {
        counts.merge(Verdict.NOT_COMPARED, 1, Integer::sum);
        continue;
      }
      Answer expected = Answer.of(postgres, step);
      Answer actual = Answer.of(gauss, step);
      Verdict verdict = judge(step.sql(), expected, actual);
      counts.merge(verdict, 1, Integer::sum);
      if (verdict == Verdict.DIFFERENT
          || verdict == Verdict.UNSUPPORTED
          || verdict == Verdict.CONSEQUENCE) {
        differences.add(
            "[%s] %s\n%s;\n  PostgreSQL %s\n  Gauss %s"
                .formatted(topic, verdict.title(), step.sql(), expected, actual));
      }
    }
  }

  private Verdict judge(String sql, Answer expected, Answer actual) {
    String lower = sql.toLowerCase(Locale.ROOT);
    boolean aborted = isAborted(expected) != isAborted(actual);
    followBlock(lower, aborted);
    if (lower.startsWith("explain") && !expected.isError() && !actual.isError()) {
      return Verdict.NOT_COMPARED;
    }
    if (expected.sameAs(actual, sql)) {
      return expected.isError() ? Verdict.SAME_ERROR : Verdict.SAME_RESULT;
    }
    boolean consequence = aborted || mentionsMarked(lower);
    changedObject(lower).ifPresent(marked::add);
    if ("0A000".equals(actual.sqlState())) {
      return Verdict.UNSUPPORTED;
    }
    return consequence ? Verdict.CONSEQUENCE : Verdict.DIFFERENT;
  }

  private static boolean isAborted(Answer answer) {
    return "25P02".equals(answer.sqlState());
  }

  /** What a block changed before it failed on one server only is different from then on. */
  private void followBlock(String sql, boolean aborted) {
    if (BLOCK_BEGINS.matcher(sql).lookingAt()) {
      changedInBlock.clear();
    } else if (aborted) {
      marked.addAll(changedInBlock);
    }
    changedObject(sql).ifPresent(changedInBlock::add);
  }

  private boolean mentionsMarked(String sql) {
    for (String name : marked) {
      if (Pattern.compile("(?<![\\w])" + Pattern.quote(name) + "(?![\\w])").matcher(sql).find()) {
        return true;
      }
    }
    return false;
  }

  private static Optional<String> changedObject(String sql) {
    for (Pattern change : CHANGES) {
      Matcher matcher = change.matcher(sql);
      if (matcher.lookingAt()) {
        String name = matcher.group(1);
        return Optional.of(name.substring(name.indexOf('.') + 1).replace("\"", ""));
      }
    }
    return Optional.empty();
  }
}
