package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.message.MessageReader;
import io.gauss.compute.session.prepared.PreparedStatements;
import io.gauss.compute.session.prepared.StatementDefinition;
import io.gauss.compute.type.ByteSink;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Keeps a client's two sessions on two nodes identical: one end of the transfer, for one other
 * node. The session that hands over the transaction writes the changes since both were last
 * identical, and the other reads them: settings with the role, prepared statements, values of
 * sequences, and a block that was begun. Belongs to the session.
 *
 * <p>The message, integers big-endian, strings ended by 0:
 *
 * <pre>
 * int8   version, 3
 * int8   bits: 1 settings, 2 statements, 4 sequences, 8 block, 16 the sender is pinned, 32 the
 *        receiver has to keep its transactions from now on
 * 1: int16 count, then each   string name, string value
 * 2: int32 gone, then each    string name
 *    int32 new, then each     string name, string text, int8 by PREPARE, int64 hash of columns,
 *                             int16 types, int32 each
 * 4: int32 count, then each   int32 oid, int64 value;  int32 oid of lastval, 0 = none
 * 8: string isolation, int8 read only, int64 µs since 2000
 * </pre>
 */
public final class StateTransfer {
  static final int VERSION = 3;

  private static final int SETTINGS = 1;
  private static final int STATEMENTS = 2;
  private static final int SEQUENCES = 4;
  private static final int BLOCK = 8;
  private static final int PINNED = 16;
  private static final int KEPT_HOME = 32;

  private final Session session;
  private final SessionState state;
  private final PreparedStatements statements;

  /** The state that the other session has. */
  private Map<String, StatementDefinition> known = new HashMap<>();

  private long settingsVersion = -1;
  private long statementsVersion = -1;
  private long sequencesVersion = -1;
  private boolean isOtherPinned;
  private int forwards;

  public StateTransfer(Session session) {
    this.session = session;
    this.state = session.state();
    this.statements = session.statements();
  }

  /** Whether the other session has state that exists only on its node. */
  public boolean isOtherPinned() {
    return isOtherPinned;
  }

  /** A transaction goes to the other session. */
  public void countForward() {
    forwards++;
  }

  /** Transactions that have gone to the other session. */
  public int forwards() {
    return forwards;
  }

  // ---------------------------------------------------------------- writing

  /** The client's session hands over the transaction: {@link SessionMoves#isAtStart}. */
  public void writeLeaving(ByteSink to) {
    BlockStart block = session.moves().leave();
    write(to, block);
    session.moves().show(false);
  }

  /** The session at the other node has ended the transaction. */
  public void writeEnd(ByteSink to) {
    write(to, null);
    session.moves().show(false);
  }

  private void write(ByteSink to, BlockStart block) {
    boolean settings = settingsVersion != state.settings().version();
    boolean sequences = sequencesVersion != state.catalog().sequenceVersion();
    boolean prepared = statementsVersion != statements.version();
    to.ensure(64);
    to.putByte(VERSION);
    to.putByte(
        (settings ? SETTINGS : 0)
            | (prepared ? STATEMENTS : 0)
            | (sequences ? SEQUENCES : 0)
            | (block != null ? BLOCK : 0)
            | (session.moves().isPinned() ? PINNED : 0)
            | (session.moves().isSentHome() ? KEPT_HOME : 0));
    if (settings) {
      Map<String, String> values = state.settings().values();
      to.putShort(values.size());
      values.forEach(
          (name, value) -> {
            string(to, name);
            string(to, value);
          });
    }
    if (prepared) {
      writeStatements(to);
    }
    if (sequences) {
      Map<Integer, Long> values = state.catalog().currentValues();
      to.putInt(values.size());
      values.forEach(
          (oid, value) -> {
            to.putInt(oid);
            to.putLong(value);
          });
      to.putInt(state.catalog().lastSequence());
    }
    if (block != null) {
      string(to, block.isolation());
      to.putByte(block.isReadOnly() ? 1 : 0);
      to.putLong(block.beganMicros());
    }
    same();
  }

  private void writeStatements(ByteSink to) {
    Map<String, StatementDefinition> mine = statements.definitions();
    Map<String, StatementDefinition> fresh = new TreeMap<>();
    mine.forEach(
        (name, definition) -> {
          if (!definition.equals(known.get(name))) {
            fresh.put(name, definition);
          }
        });
    known.keySet().removeAll(mine.keySet());
    to.putInt(known.size());
    known.keySet().forEach(name -> string(to, name));
    to.putInt(fresh.size());
    fresh.forEach(
        (name, definition) -> {
          string(to, name);
          string(to, definition.text());
          to.putByte(definition.bySql() ? 1 : 0);
          to.putLong(definition.columns());
          to.putShort(definition.oids().length);
          for (int oid : definition.oids()) {
            to.putInt(oid);
          }
        });
    known = mine;
  }

  private static void string(ByteSink to, String text) {
    to.putString(text);
    to.putByte(0);
  }

  /** Both sessions are identical now. */
  private void same() {
    settingsVersion = state.settings().version();
    statementsVersion = statements.version();
    sequencesVersion = state.catalog().sequenceVersion();
  }

  // ---------------------------------------------------------------- reading

  /**
   * Reads the other session's message. Outside a transaction.
   *
   * @throws GaussException 08P01 when the message is malformed or of another version
   */
  public void read(MessageReader from) {
    int version = from.readByte();
    if (version != VERSION) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "state of a session in format " + version);
    }
    int bits = from.readByte();
    isOtherPinned = (bits & PINNED) != 0;
    if ((bits & KEPT_HOME) != 0) {
      session.moves().note(LeftBehind.STAYS);
    }
    if ((bits & SETTINGS) != 0) {
      Map<String, String> values = new TreeMap<>();
      for (int left = from.readUnsignedShort(); left > 0; left--) {
        String name = from.readCString();
        values.put(name, from.readCString());
      }
      state.quietly(() -> state.settings().adopt(values));
    }
    if ((bits & STATEMENTS) != 0) {
      readStatements(from);
    }
    if ((bits & SEQUENCES) != 0) {
      Map<Integer, Long> values = new HashMap<>();
      for (int left = from.readInt(); left > 0; left--) {
        int oid = from.readInt();
        values.put(oid, from.readLong());
      }
      state.catalog().adoptSequences(values, from.readInt());
    }
    same();
    if ((bits & BLOCK) != 0) {
      String isolation = from.readCString();
      boolean isReadOnly = from.readByte() != 0;
      session.moves().enter(new BlockStart(isolation, isReadOnly, from.readLong()));
    }
    from.finish();
    session.moves().came();
  }

  private void readStatements(MessageReader from) {
    for (int left = from.readInt(); left > 0; left--) {
      String gone = from.readCString();
      statements.close(gone);
      known.remove(gone);
    }
    for (int left = from.readInt(); left > 0; left--) {
      String name = from.readCString();
      String text = from.readCString();
      boolean bySql = from.readByte() != 0;
      long columns = from.readLong();
      int[] oids = new int[from.readUnsignedShort()];
      for (int i = 0; i < oids.length; i++) {
        oids[i] = from.readInt();
      }
      StatementDefinition definition = new StatementDefinition(text, oids, bySql, columns);
      statements.define(name, definition);
      known.put(name, definition);
    }
  }
}
