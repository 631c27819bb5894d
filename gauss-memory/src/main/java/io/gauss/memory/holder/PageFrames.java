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
 * The frames of a compute node's buffer pool, as the tracking of rights needs them. Called on the
 * page's lane; may wait for a latch, and for nothing else (rule 21).
 */
public interface PageFrames {

  /** The right and number stored in the page's frame; absent when there is no frame. */
  HolderPage held(long page);

  /** LSN of the page; 0 when there is no frame with it. */
  long lsn(long page);

  /**
   * Sets the node's right to the page. When this returns, no thread uses the page in a way that the
   * new right does not allow. A page that is no longer held loses its frame.
   */
  void change(long page, HolderPage now);

  /** A copy of the page for another node; no thread writes the page any more. */
  ByteBuf copy(long page);

  /**
   * Installs a page that has arrived; its right does not allow anything yet. The caller keeps
   * ownership of the bytes.
   *
   * @throws GaussException XX001 or 0A000 when the bytes cannot be used
   */
  void install(long page, ByteBuf bytes);

  /**
   * Reads the page from a page store.
   *
   * @param lsn minimum LSN of the page
   * @param floors offsets, by the slot of the stream, that the page store must have applied
   */
  CompletableFuture<Void> load(long page, long lsn, Map<Integer, Long> floors);

  /** Runs the action once the log is durable through the page's present LSN. */
  void whenDurable(long page, Runnable action);

  /**
   * Threads that waited for the page have their turn.
   *
   * @param over run when their turn is over, which may be noticed late while nobody else wants the
   *     page ({@link #turnWanted}); null when nothing waits for that
   */
  void arrived(long page, Runnable over);

  /** Somebody waits for the end of a turn that may not be over yet. */
  void turnWanted(long page);

  /** Fails the threads that wait for the page with this error. */
  void failed(long page, GaussException why);

  /**
   * The page's home has no room for an entry of it. Room becomes free when page stores have applied
   * the changes of other pages, so a retry after a moment may succeed.
   *
   * @param mode the requested mode
   * @param why the error if it persists
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

  /** Source of a requested page, or of the right to it. */
  enum Source {
    HOME,
    COMPUTE,
    STORAGE,
    /** The page was already here. */
    HERE
  }

  /** The listener that receives how long pages take to arrive and to be given away. */
  default TransferListener transfers() {
    return TransferListener.NONE;
  }
}
