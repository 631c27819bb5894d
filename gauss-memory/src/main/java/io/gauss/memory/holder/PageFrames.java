package io.gauss.memory.holder;

import io.gauss.common.error.GaussException;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.Mode;
import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * The frames of a compute node's buffer pool, as what keeps track of rights needs them. Called on
 * the page's lane; may wait for a latch, and for nothing else (rule 21).
 */
public interface PageFrames {

  /** What a frame alone says of its page: its right and number; absent when there is no frame. */
  HolderPage held(long page);

  /** LSN of the page; 0 when there is no frame with it. */
  long lsn(long page);

  /**
   * What the node may do with the page from now on. When this returns, nobody does anything with it
   * that it may not do any more. A page that is not held any more loses its frame.
   */
  void change(long page, HolderPage now);

  /** A copy of the page, which nobody writes any more, for another node. */
  ByteBuf copy(long page);

  /**
   * The page has come; its right does not allow anything yet. The bytes stay the caller's.
   *
   * @throws GaussException XX001 or 0A000 when the bytes cannot be used
   */
  void install(long page, ByteBuf bytes);

  /**
   * Reads the page from a page store.
   *
   * @param lsn that it must have at least
   * @param floors offsets, by the slot of the stream, that the page store must have applied
   */
  CompletableFuture<Void> load(long page, long lsn, Map<Integer, Long> floors);

  /** Runs the action once the log is durable through the page's present LSN. */
  void whenDurable(long page, Runnable action);

  /**
   * Threads that waited for the page have their turn.
   *
   * @param over to be run when they have had it, for an owned page
   */
  void arrived(long page, Runnable over);

  /** Threads that wait for the page get this error. */
  void failed(long page, GaussException why);

  /**
   * The page's home has no room to know it. It gets some whenever page stores have applied what was
   * written to its other pages, so that asking again is worth a moment.
   *
   * @param mode what was asked for
   * @param why the error when it continues
   */
  void noRoom(long page, Mode mode, GaussException why);

  /** Number of this node's stream. */
  int stream();

  /** Durable end of this node's stream, an offset. */
  long durableEnd();

  /** Visits the pages of these buckets that have a right. */
  void forEach(BitSet buckets, LongConsumer visitor);

  /** Visits all pages that are shared. */
  void forEachShared(LongConsumer visitor);

  /** Where a page came from that was wanted, or the right to it. */
  enum Source {
    HOME,
    COMPUTE,
    STORAGE,
    /** The page was here. */
    HERE
  }

  /** Who hears how long it takes until pages come and go. */
  default TransferListener transfers() {
    return TransferListener.NONE;
  }
}
