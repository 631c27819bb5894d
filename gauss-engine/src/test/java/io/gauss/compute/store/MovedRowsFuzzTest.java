package io.gauss.compute.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.WaitPolicy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Rows whose keys change all the time, among few keys, so that a key soon belongs to another row,
 * or to the same again; compared with maps. Each row has an identity, by which the twin knows what
 * became of it; the store has to find that out from the key under which a snapshot saw the row.
 */
class MovedRowsFuzzTest {
  private static final int KEYS = 9;

  private record Row(int id, int value, int padding) {
    byte[] bytes() {
      return ByteBuffer.allocate(8 + padding).putInt(id).putInt(value).array();
    }

    static Row of(RowVersion version) {
      ByteBuffer bytes = ByteBuffer.wrap(version.row);
      return new Row(bytes.getInt(), bytes.getInt(), version.rowLength - 8);
    }
  }

  /** A snapshot, and what it sees. */
  private record Reader(Transaction txn, TreeMap<Integer, Row> sees, long since) {}

  private final Random random = new Random(Seeds.next());
  private final RowVersion version = new RowVersion();
  private StoreEngine engine;
  private VersionedTree tree;
  private TreeMap<Integer, Row> committed = new TreeMap<>();

  /** By identity: the number of the commit that changed the row last. */
  private final Map<Integer, Long> changedAt = new HashMap<>();

  /** The same for the last change of its key. */
  private final Map<Integer, Long> movedAt = new HashMap<>();

  private long commits;
  private int nextId = 1;

  // The transaction that writes, one at a time.
  private Transaction writer;
  private TreeMap<Integer, Row> written;
  private Set<Integer> touched;
  private Set<Integer> changed;
  private Set<Integer> moved;

  @Test
  void aRowIsFoundWhereverItWent() {
    for (int round = 0; round < 8; round++) {
      engine = new StoreEngine(100, new int[] {300, 8192}[round % 2]);
      tree = engine.store().tree(engine.store().create(engine.newContext()));
      committed = new TreeMap<>();
      List<Reader> readers = new ArrayList<>();
      for (int step = 0; step < 600; step++) {
        switch (random.nextInt(12)) {
          case 0 -> {
            if (readers.size() < 4) {
              readers.add(open());
            }
          }
          case 1 -> {
            if (!readers.isEmpty()) {
              close(readers.remove(random.nextInt(readers.size())));
            }
          }
          case 2, 3 -> readers.forEach(this::check);
          case 4 -> engine.purge();
          default -> write();
        }
      }
      readers.forEach(this::check);
      readers.forEach(this::close);
      if (writer != null) {
        end(false);
      }
      engine.check();
      engine = engine.restart(100);
      engine.close();
    }
  }

  private Reader open() {
    Transaction txn = engine.session();
    txn.begin(
        random.nextBoolean() ? IsolationLevel.READ_COMMITTED : IsolationLevel.REPEATABLE_READ);
    txn.startStatement();
    return new Reader(txn, new TreeMap<>(committed), commits);
  }

  private void close(Reader reader) {
    reader.txn().endStatement();
    reader.txn().rollback();
  }

  private void check(Reader reader) {
    reader.sees().forEach((key, row) -> check(reader, key, row));
  }

  private void check(Reader reader, int key, Row row) {
    Integer now = keyOf(row.id());
    boolean isChanged = changedAt.getOrDefault(row.id(), 0L) > reader.since();
    boolean isTaken = writer != null && touched.contains(row.id());
    if (isChanged && reader.txn().isolation() == IsolationLevel.REPEATABLE_READ) {
      // Whoever has come back to the key was away, which is enough for 40001.
      boolean wasAway = movedAt.getOrDefault(row.id(), 0L) > reader.since();
      if (isTaken && !wasAway) {
        assertTrue(locked(reader, key), "its writer has not ended");
        return;
      }
      GaussException e = assertThrows(GaussException.class, () -> locked(reader, key));
      assertEquals(SqlState.SERIALIZATION_FAILURE, e.state());
      String how = now == null ? "delete" : "update";
      boolean wentFar = now == null && !e.getMessage().endsWith(how); // moved, then deleted
      assertTrue(wentFar || e.getMessage().endsWith(how), e.getMessage());
      return;
    }
    Outcome outcome = read(reader, key);
    if (isTaken) {
      assertEquals(Outcome.LOCKED, outcome);
    } else if (now == null) {
      assertEquals(Outcome.NOT_FOUND, outcome);
    } else {
      assertEquals(isChanged ? Outcome.CHANGED : Outcome.OK, outcome);
      assertEquals(now, ByteBuffer.wrap(version.key).getInt());
      assertEquals(committed.get(now), Row.of(version));
      if (random.nextInt(4) == 0) {
        useAndUndo(reader, key);
      }
    }
  }

  private boolean locked(Reader reader, int key) {
    return read(reader, key) == Outcome.LOCKED;
  }

  /** What the reader's own statement has written it finds, and does not take it twice. */
  private void useAndUndo(Reader reader, int key) {
    long savepoint = reader.txn().savepoint();
    if (random.nextBoolean()) {
      byte[] row = new Row(0, 0, 0).bytes();
      assertEquals(Outcome.OK, tree.update(reader.txn(), version, row, 0, row.length));
    } else {
      byte[] nowhere = key(KEYS + 1);
      assertEquals(Outcome.OK, tree.move(reader.txn(), version, nowhere, nowhere.length));
    }
    assertEquals(Outcome.SELF, read(reader, key));
    reader.txn().rollbackTo(savepoint);
  }

  private Outcome read(Reader reader, int key) {
    byte[] bytes = key(key);
    return tree.readNewestOf(
        reader.txn(), reader.txn().snapshot(), bytes, 0, bytes.length, WaitPolicy.NO_WAIT, version);
  }

  private Integer keyOf(int id) {
    for (Map.Entry<Integer, Row> entry : committed.entrySet()) {
      if (entry.getValue().id() == id) {
        return entry.getKey();
      }
    }
    return null;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  // ---- the writer

  private void write() {
    if (writer == null) {
      writer = engine.session();
      writer.begin(IsolationLevel.READ_COMMITTED);
      written = new TreeMap<>(committed);
      touched = new HashSet<>();
      changed = new HashSet<>();
      moved = new HashSet<>();
    }
    switch (random.nextInt(6)) {
      case 0 -> end(random.nextInt(4) > 0);
      case 1 -> statementAndBack();
      default -> statement();
    }
  }

  private void end(boolean commit) {
    if (!commit) {
      writer.rollback();
    } else {
      writer.commit();
      committed = written;
      commits++;
      changed.forEach(id -> changedAt.put(id, commits));
      moved.forEach(id -> movedAt.put(id, commits));
    }
    writer = null;
  }

  private void statementAndBack() {
    long savepoint = writer.savepoint();
    TreeMap<Integer, Row> before = new TreeMap<>(written);
    Set<Integer> touchedBefore = new HashSet<>(touched);
    Set<Integer> changedBefore = new HashSet<>(changed);
    Set<Integer> movedBefore = new HashSet<>(moved);
    statement();
    statement();
    writer.rollbackTo(savepoint);
    written = before;
    touched = touchedBefore;
    changed = changedBefore;
    moved = movedBefore;
  }

  private void statement() {
    writer.startStatement();
    int from = random.nextInt(KEYS);
    Row row = written.get(from);
    if (row == null) {
      Row fresh = new Row(nextId++, 0, padding());
      insert(from, fresh);
      touched.add(fresh.id());
    } else {
      readForWriting(from, row);
      if (change(from, row)) {
        touched.add(row.id());
      }
    }
    writer.endStatement();
  }

  private int padding() {
    return random.nextInt(8) == 0 ? 3000 + random.nextInt(9000) : random.nextInt(20);
  }

  private void insert(int at, Row row) {
    byte[] key = key(at);
    byte[] bytes = row.bytes();
    Outcome outcome = tree.insert(writer, key, 0, key.length, bytes, 0, bytes.length, null);
    assertEquals(Outcome.OK, outcome);
    written.put(at, row);
  }

  private void readForWriting(int at, Row row) {
    byte[] key = key(at);
    Outcome outcome =
        tree.readNewestOf(
            writer, writer.snapshot(), key, 0, key.length, WaitPolicy.NO_WAIT, version);
    assertEquals(Outcome.OK, outcome);
    assertEquals(row, Row.of(version));
  }

  /** Returns false when the row is left alone. */
  private boolean change(int from, Row row) {
    int to = random.nextInt(KEYS);
    switch (random.nextInt(8)) {
      case 0 -> {
        assertEquals(Outcome.OK, tree.delete(writer, version));
        written.remove(from);
        changed.add(row.id());
      }
      case 1 -> assertEquals(Outcome.OK, tree.lock(writer, version));
      case 2 -> {
        Row next = new Row(row.id(), row.value() + 1, padding());
        byte[] bytes = next.bytes();
        assertEquals(Outcome.OK, tree.update(writer, version, bytes, 0, bytes.length));
        written.put(from, next);
        changed.add(row.id());
      }
      default -> {
        if (written.containsKey(to)) {
          return false;
        }
        byte[] key = key(to);
        assertEquals(Outcome.OK, tree.move(writer, version, key, key.length));
        written.remove(from);
        insert(to, new Row(row.id(), row.value() + 1, padding()));
        changed.add(row.id());
        moved.add(row.id());
      }
    }
    return true;
  }
}
