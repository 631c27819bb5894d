package io.gauss.common.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.history.History.Outcome;
import io.gauss.common.history.History.Txn;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each anomaly is found, and what is none is not taken for one. */
class HistoryCheckerTest {
  private static final int X = 1;
  private static final int Y = 2;

  private final History history = new History();

  private Txn begin(String name) {
    return history.begin(name);
  }

  private static Txn read(Txn txn, int key, Long... values) {
    return txn.read(key, List.of(values), txn.now());
  }

  private static void commit(Txn... all) {
    for (Txn txn : all) {
      txn.end(Outcome.COMMITTED);
    }
  }

  private void assertFound(String what) {
    Set<String> found = HistoryChecker.snapshotIsolation(history);
    assertTrue(found.stream().anyMatch(f -> f.contains(what)), found::toString);
  }

  @Test
  void oneAfterTheOtherIsFine() {
    commit(begin("a").append(X, 1));
    commit(read(begin("b"), X, 1L).append(X, 2));
    commit(read(begin("c"), X, 1L, 2L));
    assertEquals(Set.of(), HistoryChecker.snapshotIsolation(history));
  }

  @Test
  void writeSkewIsNotForbidden() {
    Txn a = begin("a");
    Txn b = begin("b");
    read(a, X).append(Y, 1);
    read(b, Y).append(X, 2);
    commit(a, b);
    Txn last = begin("c");
    read(last, X, 2L);
    read(last, Y, 1L);
    commit(last);
    assertEquals(Set.of(), HistoryChecker.snapshotIsolation(history));
  }

  @Test
  void lostUpdate() {
    Txn a = begin("a");
    Txn b = begin("b");
    read(a, X).append(X, 1);
    read(b, X).append(X, 2);
    commit(a, b);
    commit(read(begin("c"), X, 1L, 2L));
    assertFound("a cycle");
    assertEquals(Set.of(), HistoryChecker.readCommitted(history));
  }

  @Test
  void aValueThatVanishes() {
    commit(begin("a").append(X, 1));
    commit(begin("b").append(X, 2));
    commit(read(begin("c"), X, 1L));
    commit(read(begin("d"), X, 2L));
    assertFound("was read as");
  }

  @Test
  void readSkew() {
    Txn reader = begin("reader");
    read(reader, X);
    commit(begin("writer").append(X, 1).append(Y, 2));
    read(reader, Y, 2L);
    commit(reader, read(begin("c"), X, 1L));
    assertFound("a cycle");
  }

  @Test
  void longFork() {
    Txn one = begin("one");
    Txn two = begin("two");
    Txn w1 = begin("w1").append(X, 1);
    Txn w2 = begin("w2").append(Y, 2);
    read(one, X, 1L);
    read(one, Y);
    read(two, X);
    read(two, Y, 2L);
    commit(w1, w2, one, two);
    assertFound("a cycle");
  }

  @Test
  void readsOfWhatWasRolledBackOrIsUnfinished() {
    begin("a").append(X, 1).end(Outcome.ABORTED);
    commit(read(begin("b"), X, 1L));
    assertFound("G1a");
  }

  @Test
  void readsOfAPart() {
    commit(begin("a").append(X, 1).append(X, 2));
    commit(read(begin("b"), X, 1L));
    assertFound("G1b");
  }

  @Test
  void dirtyWrite() {
    commit(begin("a").append(X, 1).append(Y, 2), begin("b").append(X, 3).append(Y, 4));
    Txn last = begin("c");
    read(last, X, 1L, 3L);
    read(last, Y, 4L, 2L);
    commit(last);
    assertFound("a cycle");
    assertFalse(HistoryChecker.readCommitted(history).isEmpty());
  }

  @Test
  void staleRead() {
    commit(begin("a").append(X, 1));
    commit(read(begin("b"), X));
    commit(read(begin("c"), X, 1L));
    assertFound("stale");
    assertFalse(HistoryChecker.readCommitted(history).isEmpty());
  }

  @Test
  void whatWasAcknowledgedAndIsNowhere() {
    commit(begin("a").append(X, 1));
    commit(read(begin("b"), X));
    assertFound("stale");
  }

  @Test
  void ownAppendsAreSeen() {
    Txn a = begin("a").append(X, 1);
    read(a, X);
    commit(a);
    assertFound("own");
  }

  @Test
  void anOpenOneCountsWhenItsWritesAreSeen() {
    Txn open = begin("open");
    read(open, X).append(X, 1).end(Outcome.OPEN);
    Txn b = begin("b");
    read(b, X, 1L);
    commit(b);
    assertEquals(Set.of(), HistoryChecker.snapshotIsolation(history));
  }
}
