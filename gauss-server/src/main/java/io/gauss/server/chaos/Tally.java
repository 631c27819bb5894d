package io.gauss.server.chaos;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What the clients of a round were told, and when. Thread-safe. */
final class Tally {
  private final Map<Integer, Node> nodes = new HashMap<>();
  private final Map<String, Integer> errors = new TreeMap<>();
  private long slowestNanos;
  private long begin = System.nanoTime();

  /** One compute node's commits. */
  private static final class Node {
    private long count;
    private long last;
    private long gap;
  }

  private Node node(int number) {
    return nodes.computeIfAbsent(number, n -> new Node());
  }

  /** A new window begins: gaps are counted from now on. */
  synchronized void reset() {
    begin = System.nanoTime();
    errors.clear();
    slowestNanos = 0;
    for (Node node : nodes.values()) {
      node.count = 0;
      node.gap = 0;
      node.last = begin;
    }
  }

  synchronized void committed(int number, long began) {
    long now = System.nanoTime();
    Node node = node(number);
    node.gap = Math.max(node.gap, now - Math.max(node.last, begin));
    node.last = now;
    node.count++;
    slowestNanos = Math.max(slowestNanos, now - began);
  }

  /**
   * @param where what the client did
   * @param began of the statement or transaction
   */
  synchronized void failed(String where, SQLException error, long began) {
    slowestNanos = Math.max(slowestNanos, System.nanoTime() - began);
    errors.merge(where + error.getSQLState(), 1, Integer::sum);
  }

  synchronized long commits(int number) {
    return node(number).count;
  }

  synchronized long commits() {
    return nodes.values().stream().mapToLong(node -> node.count).sum();
  }

  /** Milliseconds since a node's last commit, or since the window's beginning. */
  synchronized long sinceLast(int number) {
    return millis(System.nanoTime() - Math.max(node(number).last, begin));
  }

  /** The longest time of the window without a commit of the node, up to now. */
  synchronized long gapMillis(int number) {
    return Math.max(millis(node(number).gap), sinceLast(number));
  }

  /** The longest transaction that ended in the window, in one way or another. */
  synchronized long slowestMillis() {
    return millis(slowestNanos);
  }

  synchronized Map<String, Integer> errors() {
    return new TreeMap<>(errors);
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
