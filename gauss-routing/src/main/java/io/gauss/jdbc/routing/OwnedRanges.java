package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.statement.RoutingNumbers;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The nodes of a column's values, by ranges: for look-ups, which take a binary search and no
 * memory. Immutable, but for the marks of ranges that were asked for. Thread-safe.
 */
final class OwnedRanges {
  /** Questions about one range before the next answers: it may stand for many leaves. */
  private static final int MOST_QUESTIONS = 8;

  /**
   * What is known of a range.
   *
   * @param node its number; 0 = not known
   * @param nanos when it was told
   */
  record Told(int node, long nanos) {}

  private final long[] numbers; // beginnings of ranges; null for texts
  private final String[] texts;
  private final boolean areUuids; // texts that servers write in lower case
  private final int[] nodes;
  private final long[] nanos;
  private final AtomicIntegerArray asked;

  private OwnedRanges(long[] numbers, String[] texts, int[] nodes, long[] nanos) {
    this.numbers = numbers;
    this.texts = texts;
    this.areUuids = texts != null && Arrays.stream(texts).skip(1).allMatch(OwnedRanges::isUuid);
    this.nodes = nodes;
    this.nanos = nanos;
    this.asked = new AtomicIntegerArray(nodes.length);
  }

  /**
   * @param ranges by their beginnings, Long or String; the first is the lowest value
   */
  static OwnedRanges of(boolean isNumber, SortedMap<Object, Told> ranges) {
    int size = ranges.size();
    long[] numbers = isNumber ? new long[size] : null;
    String[] texts = isNumber ? null : new String[size];
    int[] nodes = new int[size];
    long[] nanos = new long[size];
    int i = 0;
    for (Map.Entry<Object, Told> range : ranges.entrySet()) {
      if (isNumber) {
        numbers[i] = (Long) range.getKey();
      } else {
        texts[i] = (String) range.getKey();
      }
      nodes[i] = range.getValue().node();
      nanos[i++] = range.getValue().nanos();
    }
    return new OwnedRanges(numbers, texts, nodes, nanos);
  }

  /** The range of a value; -1 when the column has no such values. */
  int find(Object value) {
    if (numbers == null) {
      return place(Arrays.binarySearch(texts, text(value)));
    }
    if (value instanceof Long number) {
      return place(Arrays.binarySearch(numbers, number));
    }
    return value instanceof String text && RoutingNumbers.parse(text) instanceof Long number
        ? place(Arrays.binarySearch(numbers, number))
        : -1;
  }

  /** The value as servers compare it. Takes memory only for a UUID with capitals. */
  String text(Object value) {
    String text = value.toString();
    return areUuids && isUuid(text) ? text.toLowerCase(Locale.ROOT) : text;
  }

  private static boolean isUuid(String text) {
    if (text.length() != 36) {
      return false;
    }
    for (int i = 0; i < 36; i++) {
      boolean isDash = i == 8 || i == 13 || i == 18 || i == 23;
      char c = text.charAt(i);
      if (isDash ? c != '-' : Character.digit(c, 16) < 0) {
        return false;
      }
    }
    return true;
  }

  private static int place(int found) {
    return found >= 0 ? found : -found - 2;
  }

  int node(int range) {
    return nodes[range];
  }

  long nanos(int range) {
    return nanos[range];
  }

  /** Whether somebody is to ask for the range: only a few of those who miss it. */
  boolean takeQuestion(int range) {
    return asked.get(range) < MOST_QUESTIONS && asked.incrementAndGet(range) <= MOST_QUESTIONS;
  }

  /** The question was not asked. */
  void giveQuestionBack(int range) {
    asked.decrementAndGet(range);
  }
}
