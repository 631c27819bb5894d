package io.gauss.compute.sql.exec.deferred;

import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.spill.RecordLog;
import io.gauss.compute.sql.exec.spill.WorkMemory;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The checks that a transaction has put off to its end, and what SET CONSTRAINTS has said in it.
 * Belongs to the session; empty outside transactions.
 *
 * <p>What is remembered is a key, not a row: a row that is changed again or deleted before the end
 * is judged by what is there then. Keys are kept in the order in which they were written, so that
 * of several violations the first one is reported, as in PostgreSQL. What SET CONSTRAINTS has had
 * checked is kept as well, behind a mark: a rollback to a savepoint before it makes it pending
 * again.
 */
public final class PendingChecks {
  /** What is to be checked of a key. */
  public enum Kind {
    /** A row refers to the key, which has to be in the other table. */
    CHILD,
    /** A row no longer has the key, to which none may refer unless another row has it. */
    PARENT,
    /** A row has the key, which no other row may have. */
    UNIQUE
  }

  /**
   * A constraint that keys are checked for.
   *
   * @param constraintOid of a foreign key, or of the index of a UNIQUE constraint
   * @param deferral as the constraint was defined then
   * @param writtenOid table in which rows were written
   */
  public record Source(Kind kind, int constraintOid, Deferral deferral, int writtenOid) {}

  /** What {@link #rollbackTo} returns to. */
  public static final class Position {
    private final long events;
    private final ConstraintModes modes;
    private final Map<Integer, Long> checked;

    private Position(long events, ConstraintModes modes, Map<Integer, Long> checked) {
      this.events = events;
      this.modes = modes;
      this.checked = checked;
    }
  }

  /** Checks one key. */
  @FunctionalInterface
  public interface Checker {
    /**
     * @param key the key's values in row 0, in the constraint's order; valid during the call
     * @param types of the values
     */
    void check(Source source, RowBatch key, PgType[] types);
  }

  /** What the session does for its pending checks. */
  public interface Owner extends RecordLog.Meter {
    /**
     * Called before a key is added.
     *
     * @throws RuntimeException to have the statement run elsewhere
     */
    void adding();
  }

  private static final Owner NOBODY =
      new Owner() {
        @Override
        public void adding() {}

        @Override
        public void resize(long before, long now) {}
      };

  /** The keys of one constraint; their records name it by its number. */
  private static final class Keys {
    final Source source;
    final int number;
    final PgType[] types;
    final RowSerializer serializer;
    final RowBatch row;
    final ByteSink last = new ByteSink(32);

    /** Where the last one is; -1 when it is not there any more. */
    long lastAt = -1;

    Keys(Source source, int number, PgType[] types) {
      this.source = source;
      this.number = number;
      this.types = types;
      serializer = new RowSerializer(types);
      row = Rows.batch(types);
    }

    /** Whether a key of these columns has the types: ALTER TABLE may have changed them. */
    boolean isOf(int[] columns, PgType[] ofRow) {
      for (int i = 0; i < types.length; i++) {
        if (!types[i].isAlike(ofRow[columns[i]])) {
          return false;
        }
      }
      return true;
    }
  }

  private static final int NUMBER_BYTES = 4;

  private final RecordLog log;
  private final List<Keys> numbered = new ArrayList<>(0);
  private final Map<Long, Keys> keys = new HashMap<>(0);
  private final ByteSink record = new ByteSink(64);
  private Owner owner = NOBODY;
  private ConstraintModes modes = ConstraintModes.INITIAL;

  /** How many events of a constraint's have been checked already; never changed, but replaced. */
  private Map<Integer, Long> checked = Map.of();

  private boolean allChecked = true;
  private long statementStart;

  /** Something has changed since the transaction has begun. */
  private boolean isUsed;

  public PendingChecks(WorkMemory memory) {
    log = new RecordLog(memory, (before, now) -> owner.resize(before, now));
  }

  public void owner(Owner newOwner) {
    owner = newOwner;
  }

  // ---------------------------------------------------------------- writing

  /** Whether a constraint is to be checked at the end of the transaction. */
  public boolean isDeferred(int constraintOid, Deferral deferral) {
    return modes.isDeferred(constraintOid, deferral);
  }

  /**
   * Remembers a key.
   *
   * @param row its values are in row 0
   * @param columns of the row that make the key
   * @param types of all columns of the row
   * @throws RuntimeException as {@link Owner#adding} and {@link RecordLog#add}; then the statement
   *     fails, or is undone
   */
  public void add(Source source, RowBatch row, int[] columns, PgType[] types) {
    owner.adding();
    isUsed = true;
    Keys of = keys(source, columns, types);
    record.clear();
    record.putIntLe(of.number);
    of.serializer.write(row, 0, columns, record);
    long done = checked.getOrDefault(source.constraintOid(), 0L);
    boolean isRepeated =
        of.lastAt >= done
            && Arrays.equals(record.array, 0, record.length, of.last.array, 0, of.last.length);
    if (isRepeated) {
      return;
    }
    of.lastAt = -1;
    log.add(record.array, 0, record.length);
    of.lastAt = log.size() - 1;
    of.last.clear();
    of.last.putBytes(record.array, 0, record.length);
    allChecked = false;
  }

  private Keys keys(Source source, int[] columns, PgType[] types) {
    long name = (long) source.constraintOid() << 8 | source.kind().ordinal();
    Keys found = keys.get(name);
    if (found == null || !found.source.equals(source) || !found.isOf(columns, types)) {
      PgType[] ofKey = new PgType[columns.length];
      for (int i = 0; i < columns.length; i++) {
        ofKey[i] = types[columns[i]];
      }
      found = new Keys(source, numbered.size(), ofKey);
      numbered.add(found);
      keys.put(name, found);
    }
    return found;
  }

  // ---------------------------------------------------------------- positions

  /** Whether nothing is to be checked at the end. */
  public boolean isEmpty() {
    return allChecked;
  }

  /** A statement begins. */
  public void startStatement() {
    statementStart = log.size();
  }

  /** Forgets what the current statement has added. */
  public void undoStatement() {
    truncate(statementStart);
  }

  public Position position() {
    return new Position(log.size(), modes, checked);
  }

  /** Returns to a position in the same transaction. */
  public void rollbackTo(Position position) {
    truncate(position.events);
    modes = position.modes;
    checked = position.checked;
    allChecked = log.size() == 0;
  }

  private void truncate(long events) {
    if (log.size() == events) {
      return;
    }
    log.truncate(events);
    for (Keys of : numbered) {
      if (of.lastAt >= events) {
        of.lastAt = -1;
      }
    }
    allChecked &= events == 0;
  }

  /** The transaction has ended. */
  public void clear() {
    if (isUsed) {
      isUsed = false;
      modes = ConstraintModes.INITIAL;
      forget();
    }
  }

  /** Forgets what has been checked, if that is everything: there is no savepoint before it. */
  public void forgetIfChecked() {
    if (allChecked) {
      forget();
    }
  }

  private void forget() {
    log.truncate(0);
    numbered.clear();
    keys.clear();
    checked = Map.of();
    allChecked = true;
  }

  // ---------------------------------------------------------------- checking

  /** SET CONSTRAINTS ALL; {@link #checkImmediate} comes next. */
  public void setAll(boolean deferred) {
    isUsed = true;
    modes = ConstraintModes.all(deferred);
  }

  /** SET CONSTRAINTS of some; {@link #checkImmediate} comes next. */
  public void set(List<Integer> constraintOids, boolean deferred) {
    isUsed = true;
    modes = modes.with(constraintOids, deferred);
  }

  /** Has the keys checked whose constraints are not deferred, or not any more. */
  public void checkImmediate(Checker checker) {
    if (allChecked || !check(false, checker)) {
      return;
    }
    Map<Integer, Long> now = new HashMap<>(checked);
    boolean all = true;
    for (Keys of : numbered) {
      boolean isDeferred = modes.isDeferred(of.source.constraintOid(), of.source.deferral());
      if (!isDeferred) {
        now.put(of.source.constraintOid(), log.size());
      }
      all &= !isDeferred;
    }
    checked = now;
    allChecked = all;
  }

  /** The transaction is about to commit: has all keys checked that have not been. */
  public void checkAll(Checker checker) {
    check(true, checker);
    forget();
  }

  /** Whether there was any to check. */
  private boolean check(boolean deferredToo, Checker checker) {
    boolean any = false;
    RecordLog.Reader reader = log.reader();
    ByteSink next = reader.next();
    for (long at = 0; next != null; at++) {
      Keys of = numbered.get(ByteSink.getIntLe(next.array, 0));
      Source source = of.source;
      if (at >= checked.getOrDefault(source.constraintOid(), 0L)
          && (deferredToo || !modes.isDeferred(source.constraintOid(), source.deferral()))) {
        any = true;
        of.row.clear();
        of.serializer.read(next.array, NUMBER_BYTES, of.row, 0, 0);
        of.row.size = 1;
        checker.check(source, of.row, of.types);
      }
      next = reader.next();
    }
    return any;
  }

  /** Whether keys of a table's rows are to be checked. */
  public boolean isPendingOn(int tableOid) {
    if (allChecked || numbered.stream().noneMatch(of -> of.source.writtenOid() == tableOid)) {
      return false;
    }
    RecordLog.Reader reader = log.reader();
    ByteSink next = reader.next();
    for (long at = 0; next != null; at++) {
      Source source = numbered.get(ByteSink.getIntLe(next.array, 0)).source;
      if (source.writtenOid() == tableOid
          && at >= checked.getOrDefault(source.constraintOid(), 0L)) {
        return true;
      }
      next = reader.next();
    }
    return false;
  }
}
