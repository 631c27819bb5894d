package io.gauss.storage.map;

import io.gauss.storage.map.ClusterMapTransitions.Applied;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterMapChecker;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The distinct maps of an exploration, by number, and the effects of commands on them. Millions of
 * states have a few hundred maps between them.
 */
final class MapTable {
  /**
   * The effect of a command.
   *
   * @param map number of the map afterwards
   * @param wrong the violated invariants; null when there are none
   */
  record Outcome(int map, MapResult result, String wrong) {
    boolean isDone() {
      return result instanceof MapResult.Done;
    }
  }

  private record Question(int map, MapCommand command, String altered) {}

  private final UnaryOperator<ClusterMap> form;
  private final List<ClusterMap> maps = new ArrayList<>();
  private final Map<ClusterMap, Integer> numbers = new HashMap<>();
  private final Map<Question, Outcome> outcomes = new HashMap<>();

  /** Maps that differ in their versions alone count as the same. */
  MapTable() {
    this(Models::sameVersion);
  }

  /**
   * @param form maps whose forms are equal count as the same
   */
  MapTable(UnaryOperator<ClusterMap> form) {
    this.form = form;
  }

  int number(ClusterMap map) {
    ClusterMap same = form.apply(map);
    return numbers.computeIfAbsent(
        same,
        m -> {
          maps.add(m);
          return maps.size() - 1;
        });
  }

  ClusterMap map(int number) {
    return maps.get(number);
  }

  Outcome apply(int number, MapCommand command) {
    return apply(number, command, "", UnaryOperator.identity());
  }

  /**
   * Applies a command as if a rule were missing.
   *
   * @param altered names the alteration, so that its outcome is kept apart
   * @param alteration changes the map to its form without the rule
   */
  Outcome apply(
      int number, MapCommand command, String altered, UnaryOperator<ClusterMap> alteration) {
    return outcomes.computeIfAbsent(
        new Question(number, command, altered), q -> outcome(q, alteration));
  }

  private Outcome outcome(Question question, UnaryOperator<ClusterMap> alteration) {
    ClusterMap before = alteration.apply(maps.get(question.map()));
    Applied applied = ClusterMapTransitions.apply(before, question.command());
    List<String> wrong = new ArrayList<>();
    if (question.altered().isEmpty()) {
      wrong.addAll(ClusterMapChecker.check(applied.map()));
      wrong.addAll(ClusterMapChecker.checkChange(before, applied.map()));
    }
    boolean refused = applied.result() instanceof MapResult.Refused;
    return new Outcome(
        refused ? question.map() : number(applied.map()),
        applied.result(),
        wrong.isEmpty() ? null : wrong.toString());
  }
}
