package io.gauss.common.history;

import io.gauss.common.history.History.Outcome;
import io.gauss.common.history.History.Step;
import io.gauss.common.history.History.Txn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds in a history what an isolation level forbids. As values are only appended, each list that
 * was read tells the order of the writes behind it, from which who depends on whom follows (after
 * Kingsbury and Alvaro, "Elle", VLDB 2020).
 *
 * <p>Of two transactions, the second depends on the first when it appends right behind it (ww), or
 * reads what it appended last (wr), or begins after the client of the first has heard of its commit
 * (rt); and a transaction comes before one that appends behind what it read (rw). With snapshots
 * there is no cycle in which no two rw follow each other (Adya's G-SI, with real time); with a
 * snapshot for each statement there is none of ww and wr.
 */
public final class HistoryChecker {
  private final List<Txn> all;
  private final boolean oneSnapshot;
  private final Map<Long, Txn> writers = new HashMap<>(); // by value
  private final Map<Integer, List<Long>> orders = new TreeMap<>(); // by key
  private final Map<Integer, Map<Long, Integer>> places = new HashMap<>(); // by key and value
  private final Set<String> found = new LinkedHashSet<>();
  private final Map<Txn, Integer> numbers = new HashMap<>();
  private final List<Txn> counted = new ArrayList<>(); // those that took effect

  private HistoryChecker(History history, boolean oneSnapshot) {
    this.all = history.transactions();
    this.oneSnapshot = oneSnapshot;
  }

  /** What repeatable read, with snapshots that are as new as all that was acknowledged, forbids. */
  public static Set<String> snapshotIsolation(History history) {
    return new HistoryChecker(history, true).check();
  }

  /** What read committed forbids, with statements that see all that was acknowledged. */
  public static Set<String> readCommitted(History history) {
    return new HistoryChecker(history, false).check();
  }

  private Set<String> check() {
    for (Txn txn : all) {
      for (Step step : txn.steps()) {
        if (step instanceof Step.Append append && writers.put(append.value(), txn) != null) {
          throw new IllegalArgumentException("value " + append.value() + " is appended twice");
        }
      }
    }
    orders();
    places();
    reads();
    if (found.isEmpty()) {
      for (Txn txn : all) {
        if (took(txn)) {
          numbers.put(txn, counted.size());
          counted.add(txn);
        }
      }
      recency();
      cycles();
    }
    return found;
  }

  private void found(String what) {
    found.add(what);
  }

  private static List<Step.Read> reads(Txn txn) {
    return txn.steps().stream()
        .filter(Step.Read.class::isInstance)
        .map(Step.Read.class::cast)
        .toList();
  }

  /** The longest list of each key is its order, and all others are its beginnings. */
  private void orders() {
    for (Txn txn : all) {
      for (Step.Read read : reads(txn)) {
        List<Long> own = ownBefore(txn, read);
        List<Long> seen = read.values();
        if (txn.outcome() != Outcome.COMMITTED && !own.isEmpty()) {
          // What it appended itself, and others after its end did not see, is no part of the order.
          int at = seen.indexOf(own.getFirst());
          seen = at < 0 ? seen : seen.subList(0, at);
        }
        List<Long> longest = orders.getOrDefault(read.key(), List.of());
        boolean isLonger = seen.size() > longest.size();
        List<Long> more = isLonger ? seen : longest;
        List<Long> fewer = isLonger ? longest : seen;
        if (!more.subList(0, fewer.size()).equals(fewer)) {
          found("key " + read.key() + " was read as " + seen + " and as " + longest);
        }
        orders.put(read.key(), more);
      }
    }
  }

  private static List<Long> ownBefore(Txn txn, Step.Read read) {
    List<Long> own = new ArrayList<>();
    for (Step step : txn.steps()) {
      if (step == read) {
        break;
      }
      if (step instanceof Step.Append append && append.key() == read.key()) {
        own.add(append.value());
      }
    }
    return own;
  }

  private void places() {
    orders.forEach(
        (key, order) -> {
          Map<Long, Integer> byValue = new HashMap<>();
          for (int i = 0; i < order.size(); i++) {
            if (byValue.put(order.get(i), i) != null) {
              found("key " + key + " has value " + order.get(i) + " twice");
            }
          }
          places.put(key, byValue);
        });
  }

  private int place(int key, long value) {
    return places.getOrDefault(key, Map.of()).getOrDefault(value, -1);
  }

  /** Committed, or others have seen what it did. */
  private boolean took(Txn txn) {
    return txn.outcome() == Outcome.COMMITTED
        || txn.outcome() == Outcome.OPEN
            && txn.steps().stream()
                .anyMatch(s -> s instanceof Step.Append a && place(a.key(), a.value()) >= 0);
  }

  /** Nobody reads what was rolled back, or only a part of what another one did. */
  private void reads() {
    for (Txn txn : all) {
      for (Step.Read read : reads(txn)) {
        List<Long> own = ownBefore(txn, read);
        List<Long> values = read.values();
        List<Long> tail = values.subList(Math.max(0, values.size() - own.size()), values.size());
        if (!tail.equals(own)) {
          found(
              txn.name() + " does not see its own " + own + " of key " + read.key() + ": " + tail);
        }
        for (long value : values) {
          Txn writer = writers.get(value);
          if (writer == null) {
            found("value " + value + " of key " + read.key() + " was never appended");
          } else if (writer != txn && writer.outcome() == Outcome.ABORTED) {
            found("G1a: " + txn.name() + " reads " + value + " of " + writer + ", rolled back");
          }
        }
        intermediate(txn, read, values.subList(0, values.size() - tail.size()));
      }
    }
  }

  private void intermediate(Txn txn, Step.Read read, List<Long> foreign) {
    if (foreign.isEmpty()) {
      return;
    }
    Txn writer = writers.get(foreign.getLast());
    if (writer == null || writer == txn) {
      return;
    }
    long last =
        writer.steps().stream()
            .filter(s -> s instanceof Step.Append a && a.key() == read.key())
            .mapToLong(s -> ((Step.Append) s).value())
            .reduce(0, (before, value) -> value);
    if (last != foreign.getLast()) {
      found("G1b: " + txn.name() + " reads " + foreign.getLast() + ", before the end of " + writer);
    }
  }

  /** What was acknowledged before a snapshot was taken is in it. */
  private void recency() {
    for (Txn txn : counted) {
      for (Step.Read read : reads(txn)) {
        long snapshot = oneSnapshot ? txn.began() : read.began();
        int seen = read.values().size();
        for (Txn writer : counted) {
          if (writer != txn
              && writer.outcome() == Outcome.COMMITTED
              && writer.ended() < snapshot
              && misses(writer, read, seen)) {
            found("stale: " + txn + " does not see " + writer);
          }
        }
      }
    }
  }

  private boolean misses(Txn writer, Step.Read read, int seen) {
    for (Step step : writer.steps()) {
      if (step instanceof Step.Append a && a.key() == read.key()) {
        int at = place(a.key(), a.value());
        if (at < 0 || at >= seen) {
          return true;
        }
      }
    }
    return false;
  }

  // ---- who depends on whom

  private void cycles() {
    int n = counted.size();
    List<Set<Integer>> depends = sets(n); // ww, wr, rt: from the first to the second
    List<Set<Integer>> before = sets(n); // rw
    orders.forEach((key, order) -> writes(order, depends));
    for (int i = 0; i < n; i++) {
      for (Step.Read read : reads(counted.get(i))) {
        read(i, read, depends, before);
      }
    }
    if (oneSnapshot) {
      realTime(depends);
    }
    List<Set<Integer>> steps = depends;
    if (oneSnapshot) {
      steps = sets(n);
      for (int i = 0; i < n; i++) {
        for (int next : depends.get(i)) {
          steps.get(i).add(next);
          steps.get(i).addAll(before.get(next));
        }
      }
    }
    List<Integer> cycle = cycle(steps);
    if (cycle != null) {
      StringBuilder text = new StringBuilder("a cycle:");
      for (int at : cycle) {
        text.append("\n  ").append(counted.get(at));
      }
      found(text.toString());
    }
  }

  private static List<Set<Integer>> sets(int n) {
    List<Set<Integer>> sets = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      sets.add(new LinkedHashSet<>());
    }
    return sets;
  }

  private int number(long value) {
    return numbers.getOrDefault(writers.get(value), -1);
  }

  private void writes(List<Long> order, List<Set<Integer>> depends) {
    for (int i = 1; i < order.size(); i++) {
      add(depends, number(order.get(i - 1)), number(order.get(i)));
    }
  }

  private void read(
      int reader, Step.Read read, List<Set<Integer>> depends, List<Set<Integer>> before) {
    List<Long> order = orders.get(read.key());
    int seen = read.values().size();
    if (seen > 0) {
      add(depends, number(read.values().getLast()), reader);
    }
    if (seen < order.size()) {
      add(before, reader, number(order.get(seen)));
    }
  }

  private static void add(List<Set<Integer>> edges, int from, int to) {
    if (from >= 0 && to >= 0 && from != to) {
      edges.get(from).add(to);
    }
  }

  private void realTime(List<Set<Integer>> depends) {
    for (int i = 0; i < counted.size(); i++) {
      for (int j = 0; j < counted.size(); j++) {
        if (counted.get(i).outcome() == Outcome.COMMITTED
            && counted.get(i).ended() < counted.get(j).began()) {
          depends.get(i).add(j);
        }
      }
    }
  }

  /** A shortest cycle through some transaction; null when there is none. */
  private static List<Integer> cycle(List<Set<Integer>> edges) {
    int n = edges.size();
    int[] waiting = new int[n];
    edges.forEach(targets -> targets.forEach(to -> waiting[to]++));
    Deque<Integer> free = new ArrayDeque<>();
    for (int i = 0; i < n; i++) {
      if (waiting[i] == 0) {
        free.add(i);
      }
    }
    int left = n;
    while (!free.isEmpty()) {
      left--;
      for (int to : edges.get(free.poll())) {
        if (--waiting[to] == 0) {
          free.add(to);
        }
      }
    }
    if (left == 0) {
      return null;
    }
    for (int i = 0; i < n; i++) {
      if (waiting[i] > 0) {
        List<Integer> way = wayBack(edges, i);
        if (way != null) {
          return way;
        }
      }
    }
    throw new IllegalStateException("a cycle has to be somewhere");
  }

  private static List<Integer> wayBack(List<Set<Integer>> edges, int start) {
    int[] from = new int[edges.size()];
    Arrays.fill(from, -1);
    Deque<Integer> open = new ArrayDeque<>(List.of(start));
    while (!open.isEmpty()) {
      int at = open.poll();
      for (int to : edges.get(at)) {
        if (to == start) {
          List<Integer> way = new ArrayList<>();
          for (int i = at; i != start; i = from[i]) {
            way.add(i);
          }
          way.add(start);
          Collections.reverse(way);
          return way;
        }
        if (from[to] < 0) {
          from[to] = at;
          open.add(to);
        }
      }
    }
    return null;
  }
}
