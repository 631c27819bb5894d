package io.gauss.compute.reference;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** How many statements of each topic had which verdict. */
final class VerdictCounts {
  private final Map<String, Map<Verdict, Integer>> topics = new LinkedHashMap<>();

  void add(String topic, Verdict verdict, int count) {
    topics
        .computeIfAbsent(topic, t -> new EnumMap<>(Verdict.class))
        .merge(verdict, count, Integer::sum);
  }

  int count(Verdict verdict) {
    return topics.values().stream().mapToInt(counts -> counts.getOrDefault(verdict, 0)).sum();
  }

  /** A row for each topic in the order of their first statements, and the sums. */
  String markdown() {
    StringBuilder text = new StringBuilder("| topic | statements |");
    for (Verdict verdict : Verdict.values()) {
      text.append(' ').append(verdict.title()).append(" |");
    }
    text.append("\n|---").append("|---:".repeat(Verdict.values().length + 1)).append("|\n");
    topics.forEach((topic, counts) -> row(topic, counts, text));
    Map<Verdict, Integer> sums = new EnumMap<>(Verdict.class);
    for (Verdict verdict : Verdict.values()) {
      sums.put(verdict, count(verdict));
    }
    row("**all**", sums, text);
    return text.toString();
  }

  private static void row(String topic, Map<Verdict, Integer> counts, StringBuilder text) {
    int sum = counts.values().stream().mapToInt(Integer::intValue).sum();
    text.append("| ").append(topic).append(" | ").append(sum).append(" |");
    for (Verdict verdict : Verdict.values()) {
      text.append(' ').append(counts.getOrDefault(verdict, 0)).append(" |");
    }
    text.append('\n');
  }
}
