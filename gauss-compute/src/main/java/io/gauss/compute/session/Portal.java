package io.gauss.compute.session;

import io.gauss.compute.session.message.RowEncoder;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.txn.Snapshot;
import io.gauss.compute.txn.Transaction;
import io.gauss.compute.type.Value;

/**
 * A statement bound to parameters, ready to run or running. Buffers are reused by the unnamed
 * portal. Belongs to the session.
 */
final class Portal {
  /** A larger buffer of parameters is not kept for the next binding. */
  private static final int KEPT_BYTES = 16 << 10;

  /** Rough bytes of a portal and of what runs it. */
  private static final int WEIGHT_MIN = 4096;

  private static final int WEIGHT_OF_PARAMETER = 64;
  private static final byte[] NO_BYTES = new byte[0];

  final String name;

  /** Number of savepoints that were set when it was bound. */
  int level;

  PreparedStatement statement;

  /** Whether its parameters are constants from the text that the client sent. */
  boolean isShared;

  /** The plan to which it was bound. */
  PreparedPlan plan;

  Value[] parameters = new Value[0];

  /** Owns the bytes of BYTES parameters. */
  byte[] parameterBytes = NO_BYTES;

  /** Bytes of the Bind message that its parameters come from. */
  int bound;

  /** Bytes that {@link Portals} has counted for it. */
  long weight;

  short[] formats;
  RowEncoder encoder;

  /** Set while it runs. */
  Execution execution;

  /**
   * The snapshot of a portal that may be suspended while other statements run and take snapshots;
   * null = it reads with the transaction's.
   */
  Snapshot snapshot;

  private Transaction snapshotOwner;

  boolean done;

  /** Set when it is a cursor of DECLARE, or FETCH has read from it. */
  SqlCursor cursor;

  /** Rows sent by the current or last Execute message. */
  long sent;

  Portal(String name) {
    this.name = name;
  }

  /** Makes room for {@code count} parameters and slots; values made earlier are reused. */
  void ensureParameters(int count) {
    if (parameters.length != count) {
      Value[] fitting = new Value[count];
      for (int i = 0; i < count; i++) {
        fitting[i] = i < parameters.length ? parameters[i] : new Value();
      }
      parameters = fitting;
    }
  }

  /** Takes over another portal's parameters, which has none afterwards. */
  void takeParameters(Portal other) {
    parameters = other.parameters;
    parameterBytes = other.parameterBytes;
    bound = other.bound;
    other.parameters = new Value[0];
    other.parameterBytes = NO_BYTES;
  }

  /** Makes room for so many bytes of parameters; what is there is lost. */
  void ensureBytes(int count) {
    if (parameterBytes.length < count) {
      parameterBytes = new byte[capacity(count)];
    }
  }

  private static int capacity(int bytes) {
    return Math.max(64, Integer.highestOneBit(bytes) << 1);
  }

  /** Rough bytes that it takes. */
  long weight() {
    return weightOf(parameterBytes.length);
  }

  /** Rough bytes that it takes once it has room for so many bytes of parameters. */
  long weightWith(int bytes) {
    return weightOf(parameterBytes.length < bytes ? capacity(bytes) : parameterBytes.length);
  }

  private long weightOf(int bufferBytes) {
    return WEIGHT_MIN + bufferBytes + (long) WEIGHT_OF_PARAMETER * parameters.length;
  }

  /** Takes a copy of the statement's snapshot that lives until {@link #close}. */
  void keepSnapshot(Transaction transaction) {
    snapshot = transaction.keepSnapshot();
    snapshotOwner = transaction;
  }

  boolean isRunning() {
    return execution != null;
  }

  /** Ends the execution and makes the portal ready for another binding. */
  void close() {
    done = false;
    try {
      if (execution != null) {
        Execution ended = execution;
        execution = null;
        ended.close();
        statement.giveBack(ended, plan);
      }
    } finally {
      if (snapshot != null) {
        Snapshot kept = snapshot;
        snapshot = null;
        snapshotOwner.releaseSnapshot(kept);
      }
    }
  }

  /** Whether it outlives transactions. */
  boolean isHeld() {
    return cursor != null && cursor.held;
  }

  /** Also frees the rows that a cursor keeps. */
  void discard() {
    try {
      close();
    } finally {
      bound = 0;
      if (parameterBytes.length > KEPT_BYTES) {
        parameterBytes = NO_BYTES;
        parameters = new Value[0];
      }
      if (cursor != null) {
        SqlCursor kept = cursor;
        cursor = null;
        kept.close();
      }
    }
  }
}
