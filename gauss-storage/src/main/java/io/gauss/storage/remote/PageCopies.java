package io.gauss.storage.remote;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TransportException;
import io.gauss.storage.wire.PageReadLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Single pages of other storage nodes, for a storage node whose own copy is damaged: the nodes are
 * asked one after another until one returns the page. Thread-safe; nothing blocks.
 */
public final class PageCopies {
  private final ByteBufAllocator allocator;
  private final Supplier<List<Peer>> peers;
  private final Duration wait;

  /**
   * @param peers the present other storage nodes; the caller closes them
   * @param wait how long each may take to reach the floors
   */
  public PageCopies(ByteBufAllocator allocator, Supplier<List<Peer>> peers, Duration wait) {
    this.allocator = allocator;
    this.peers = peers;
    this.wait = wait;
  }

  /**
   * Reads a page from a node that has applied every stream up to its floor.
   *
   * @param floors by stream, at most {@link PageReadLayout#MAX_FLOORS}
   * @param destination off-heap address of 8 KiB, valid until the future completes
   * @return the node that returned the page; if none does, fails with the last node's failure, a
   *     {@link GaussException}
   */
  public CompletableFuture<Peer> read(long pageId, Map<Integer, Long> floors, long destination) {
    List<Peer> all = peers.get();
    CompletableFuture<Peer> result =
        CompletableFuture.failedFuture(
            new GaussException(SqlState.CONNECTION_FAILURE, "there is no other storage node"));
    for (Peer peer : all) {
      result =
          result.exceptionallyCompose(
              failure ->
                  ask(peer, pageId, floors)
                      .thenApply(
                          reply -> {
                            take(reply, destination, peer);
                            return peer;
                          }));
    }
    return result;
  }

  private CompletableFuture<ByteBuf> ask(Peer peer, long pageId, Map<Integer, Long> floors) {
    int bytes = PageReadLayout.requestBytes(floors.size(), 1);
    ByteBuf request = allocator.directBuffer(bytes, bytes);
    PageReadLayout.writeHeader(request, floors.size(), 1, (int) wait.toMillis());
    floors.forEach((stream, offset) -> PageReadLayout.writeFloor(request, stream, offset));
    PageReadLayout.writePage(request, pageId, 0);
    return peer.call(StorageMessages.READ_PAGES, request, 2 * wait.toNanos())
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(known(failure)));
  }

  private static Throwable known(Throwable failure) {
    return failure instanceof TransportException known ? known.toGauss() : failure;
  }

  private static void take(ByteBuf reply, long destination, Peer peer) {
    try {
      PageReadLayout.checkReply(reply, 1, peer.address());
      reply.getBytes(
          reply.readerIndex() + PageReadLayout.imageAt(1, 0),
          Memory.buffer(destination, PageLayout.PAGE_BYTES));
    } catch (GaussException e) {
      throw new CompletionException(e);
    } finally {
      reply.release();
    }
  }
}
