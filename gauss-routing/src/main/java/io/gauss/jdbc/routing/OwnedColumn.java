package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.OwnedRanges.Told;
import io.gauss.jdbc.routing.statement.RoutingNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What servers have told of a column: which nodes have the rows of which values. Look-ups use what
 * {@link #ranges} returns; everything else is for one thread at a time.
 */
final class OwnedColumn {
  private static final long USED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TreeMap<Object, Told> known = new TreeMap<>();
  private boolean isNumber;
  private volatile OwnedRanges ranges; // null = its values tell nothing, or nothing was told yet
  private volatile long pausedUntil;
  private volatile long usedNanos;

  /**
   * @param untilNanos for so long nothing is asked, beyond the question that makes it
   */
  OwnedColumn(long nowNanos, long untilNanos) {
    this.usedNanos = nowNanos;
    this.pausedUntil = untilNanos;
  }

  /** Null when there are none. */
  OwnedRanges ranges() {
    return ranges;
  }

  /** Somebody has looked for a value; written rarely, since many threads do. */
  void used(long nowNanos) {
    if (nowNanos - usedNanos > USED_NANOS) {
      usedNanos = nowNanos;
    }
  }

  /** When it was used last, nearly. */
  long usedNanos() {
    return usedNanos;
  }

  /** Whether it may be asked for now. */
  boolean isAsked(long nowNanos) {
    return nowNanos - pausedUntil >= 0;
  }

  /** When the range of a value was told; long ago if it was not. */
  long toldNanos(Object value, long nowNanos) {
    Object key = key(value);
    var range = key == null ? null : known.floorEntry(key);
    return range == null ? nowNanos - OwnedKeys.LASTS_NANOS : range.getValue().nanos();
  }

  private Object key(Object value) {
    if (!isNumber) {
      OwnedRanges told = ranges;
      return told == null ? value.toString() : told.text(value);
    }
    Object number = value instanceof String text ? RoutingNumbers.parse(text) : value;
    return number instanceof Long ? number : null;
  }

  int size() {
    return known.size();
  }

  /** Nothing is asked for a while. */
  void pause(long untilNanos) {
    pausedUntil = untilNanos;
  }

  /** Nothing is known, and nothing is asked for a while. */
  void clear(long untilNanos) {
    known.clear();
    ranges = null;
    pausedUntil = untilNanos;
  }

  /**
   * Takes an answer.
   *
   * @param text as {@code gauss_key_owners} gives it
   * @return false when it says nothing now
   * @throws IllegalArgumentException when it is of another format
   */
  boolean take(String text, long nowNanos) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals("number") && !lines.get(0).equals("text")) {
      throw new IllegalArgumentException("neither numbers nor texts");
    }
    boolean areNumbers = lines.get(0).equals("number");
    if (known.isEmpty() || areNumbers != isNumber) {
      known.clear();
      isNumber = areNumbers;
      known.put(lowest(), new Told(0, nowNanos - OwnedKeys.LASTS_NANOS));
    }
    List<Object> starts = new ArrayList<>();
    List<Integer> nodes = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      int tab = line.indexOf('\t');
      if (tab < 0) {
        throw new IllegalArgumentException("a line without a node");
      }
      Object start = start(line.substring(0, tab));
      // The order of strings is another one here if characters beyond 16 bits are compared.
      if (starts.isEmpty() || compare(start, starts.get(starts.size() - 1)) > 0) {
        starts.add(start);
        nodes.add(Integer.parseInt(line.substring(tab + 1)));
      }
    }
    if (starts.isEmpty()) {
      return false;
    }
    put(starts, nodes, nowNanos);
    return true;
  }

  private void put(List<Object> starts, List<Integer> nodes, long nowNanos) {
    int last = starts.size() - 1;
    Object end = starts.get(last);
    boolean isOpen = nodes.get(last) != 0; // to the highest value
    Told beyond = known.floorEntry(end).getValue();
    if (isOpen) {
      known.tailMap(starts.get(0), true).clear();
    } else {
      known.subMap(starts.get(0), true, end, true).clear();
    }
    for (int i = 0; i <= last; i++) {
      known.put(starts.get(i), new Told(nodes.get(i), nowNanos));
    }
    if (!isOpen) {
      known.put(end, beyond);
    }
  }

  /** Forgets ranges that are too old to be used; those next to each other become one. */
  void forgetOld(long nowNanos) {
    Told before = null;
    for (var entries = known.entrySet().iterator(); entries.hasNext(); ) {
      var entry = entries.next();
      boolean isOld = nowNanos - entry.getValue().nanos() >= OwnedKeys.LASTS_NANOS;
      if (isOld && before != null && before.node() == 0 && isOld(before, nowNanos)) {
        entries.remove();
      } else {
        before = isOld ? new Told(0, nowNanos - OwnedKeys.LASTS_NANOS) : entry.getValue();
        entry.setValue(before);
      }
    }
  }

  private static boolean isOld(Told told, long nowNanos) {
    return nowNanos - told.nanos() >= OwnedKeys.LASTS_NANOS;
  }

  /** Takes what is known for no younger than this. */
  void outdate(long nanos) {
    known.replaceAll(
        (start, told) -> told.nanos() - nanos > 0 ? new Told(told.node(), nanos) : told);
  }

  /** What was taken is found from now on. */
  void show() {
    ranges = known.isEmpty() ? null : OwnedRanges.of(isNumber, known);
  }

  private Object lowest() {
    return isNumber ? (Object) Long.MIN_VALUE : "";
  }

  private Object start(String text) {
    if (text.equals("\\N")) {
      return lowest();
    }
    return isNumber ? (Object) Long.parseLong(text) : unescaped(text);
  }

  private static String unescaped(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\' || i + 1 == text.length()) {
        out.append(c);
        continue;
      }
      char escaped = text.charAt(++i);
      out.append(
          switch (escaped) {
            case 't' -> '\t';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case '0' -> '\0';
            default -> escaped;
          });
    }
    return out.toString();
  }

  private int compare(Object a, Object b) {
    return isNumber ? Long.compare((Long) a, (Long) b) : ((String) a).compareTo((String) b);
  }
}
