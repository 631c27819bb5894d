package io.gauss.storage.node;

import io.gauss.storage.api.LogSource;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.raft.stream.StreamRequest;
import io.gauss.storage.raft.stream.StreamService;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/**
 * The stream of this storage node's replica, for the node's page store. It may lag behind the
 * stream; everything in it is durable on a majority. Thread-safe.
 */
final class ReplicaSource implements LogSource {
  private final int stream;
  private final StreamService streams;
  private final long keepBytes;
  private final IntSupplier keepBatches;
  private final IntPredicate mayTrim;

  /**
   * @param keepBytes how much of the log is kept beyond what this node needs, so that a replica
   *     that was away can catch up from the log
   * @param keepBatches how many batches of it at most, because of the memory that they take; what
   *     this node needs counts
   * @param mayTrim whether a stream may be trimmed now, see {@link SubscriptionDuties#mayTrim}
   */
  ReplicaSource(
      int stream,
      StreamService streams,
      long keepBytes,
      IntSupplier keepBatches,
      IntPredicate mayTrim) {
    this.stream = stream;
    this.streams = streams;
    this.keepBytes = keepBytes;
    this.keepBatches = keepBatches;
    this.mayTrim = mayTrim;
  }

  @Override
  public int streamId() {
    return stream;
  }

  @Override
  public long startOffset() {
    return streams.localStart(stream);
  }

  @Override
  public long endOffset() {
    return streams.local(stream).end();
  }

  @Override
  public long durableOffset() {
    return endOffset();
  }

  @Override
  public boolean isReplica() {
    return true;
  }

  @Override
  public LogStream.LogReader read(long fromOffset) {
    return streams.read(stream, fromOffset);
  }

  @Override
  public AutoCloseable tail(long fromOffset, LogStream.TailListener listener) {
    return streams.tail(stream, fromOffset, listener);
  }

  @Override
  public OptionalLong locate(long csn) {
    return streams.locate(stream, csn);
  }

  @Override
  public long batchesInMemory(long fromOffset) {
    return streams.batchesFrom(stream, fromOffset);
  }

  /**
   * This node no longer needs anything before the offset. If it leads the stream, all replicas
   * trim, except for log that is kept for absent replicas, or needed elsewhere ({@link
   * io.gauss.storage.raft.stream.Subscriptions}). If it does not, the request is refused, which is
   * harmless.
   */
  @Override
  public void trim(long offset) {
    long all = Math.max(offset - keepBytes, streams.offsetOfLast(stream, keepBatches.getAsInt()));
    all = Math.min(all, Math.min(offset, streams.subscriptions(stream).lowest()));
    if (all > streams.local(stream).start() && mayTrim.test(stream)) {
      streams.handle(new StreamRequest.Trim(stream, all));
    }
    streams.forgettable(stream);
  }
}
