package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A storage node's answer to a {@link StreamRequest}. */
public sealed interface StreamAnswer {

  // ---- decided by the stream's group; the same from every replica

  /** The bytes of the append are in the stream and durable, now or since an earlier append. */
  record Appended(long endOffset) implements StreamAnswer {}

  /** The append does not begin at the stream's end, and is not in the stream: nothing was done. */
  record WrongOffset(long endOffset) implements StreamAnswer {}

  /** A newer epoch has sealed or taken the stream: nothing was done. */
  record Fenced(int epoch) implements StreamAnswer {}

  /** The state of the stream after a seal, an opening or a trim, or at the time of the query. */
  record State(StreamInfo info) implements StreamAnswer {}

  /**
   * What the stream has for a node after a command about its subscription.
   *
   * @param start the stream's
   * @param tenure for which the node has a subscription; -1 = it has none
   * @param from offset from which the stream keeps its log for the node; -1 = it has none
   */
  record Subscribed(long start, long tenure, long from) implements StreamAnswer {
    static Subscribed of(long start, Subscriptions.Subscription subscription) {
      return subscription == null
          ? new Subscribed(start, -1, -1)
          : new Subscribed(start, subscription.tenure(), subscription.from());
    }
  }

  // ---- answered by one replica from its own data

  /** Batches in the order of offsets; empty at the end of the committed entries. */
  record Batches(List<Batch> batches, long durableOffset) implements StreamAnswer {}

  /** Offset at which the batch with the LSN begins. */
  record Located(OptionalLong offset) implements StreamAnswer {}

  /**
   * An entry of the Raft log.
   *
   * @param bytes never changed
   */
  record Entry(byte[] bytes) implements StreamAnswer {}

  // ---- nothing was done, or the outcome is unknown

  /** The node's replica does not lead. */
  record NotLeader(OptionalInt leader) implements StreamAnswer {}

  /** The leader's disk is full: nothing was done. */
  record DiskFull(String file) implements StreamAnswer {}

  /** The replica is overloaded, or not ready: nothing was done. */
  record Busy(String reason) implements StreamAnswer {}

  /** The request may have been carried out, or may be later. */
  record Unknown(String reason) implements StreamAnswer {}

  /** The request cannot be carried out, here or anywhere else. */
  record Refused(String sqlState, String message) implements StreamAnswer {}

  /** A batch as it was appended, or its rest from an MTR on. */
  record Batch(long offset, long firstLsn, long lastLsn, ByteBuffer bytes) {
    long end() {
      return offset + bytes.remaining();
    }
  }
}
