package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Request;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.wire.PageReadLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves pages of this node's store to other nodes.
 *
 * <p>A read waits, bounded by the caller's limit, until the store has reached every floor and every
 * page has the requested LSN; then all pages are sent in one reply. If one fails, all do: the
 * caller asks another replica. Thread-safe; handlers do not block.
 */
public final class PageService {
  private static final Logger LOG = LoggerFactory.getLogger(PageService.class);

  /** A page that is not new enough yet is read again after this, and then after longer pauses. */
  private static final long LSN_POLL_MICROS = 500;

  /** A store that is far behind is not to be kept from its work by those who wait for it. */
  private static final long LONGEST_LSN_POLL_MICROS = 16_000;

  private final PageStore store;
  private final ByteBufAllocator allocator;

  public PageService(PageStore store, ByteBufAllocator allocator) {
    this.store = store;
    this.allocator = allocator;
  }

  public void register(Handlers handlers) {
    handlers.on(StorageMessages.READ_PAGES, this::read);
  }

  private void read(Request request) {
    try {
      PageReadLayout.checkRequest(request.payload());
      new Batch(request).start();
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
    }
  }

  /** The pages of one request. */
  private final class Batch {
    private final Request request;
    private final int floors;
    private final int pages;
    private final long[] ids;
    private final long[] lowest;
    private final long deadline;
    private final ByteBuf reply;
    private final AtomicInteger left;

    Batch(Request request) {
      this.request = request;
      ByteBuf message = request.payload();
      int at = message.readerIndex();
      this.floors = message.getUnsignedShortLE(at + PageReadLayout.FLOORS);
      this.pages = message.getIntLE(at + PageReadLayout.PAGES);
      this.deadline =
          Environment.nanoTime()
              + TimeUnit.MILLISECONDS.toNanos(message.getIntLE(at + PageReadLayout.WAIT_MILLIS));
      this.ids = new long[pages];
      this.lowest = new long[pages];
      for (int i = 0; i < pages; i++) {
        int page = at + PageReadLayout.pageAt(floors, i);
        ids[i] = message.getLongLE(page + PageReadLayout.PAGE_ID);
        lowest[i] = message.getLongLE(page + PageReadLayout.PAGE_LSN);
      }
      this.left = new AtomicInteger(pages);
      int bytes = PageReadLayout.replyBytes(pages);
      this.reply = allocator.directBuffer(bytes, bytes).writerIndex(bytes);
      reply.setShortLE(0, PageReadLayout.VERSION_VALUE);
      reply.setShortLE(2, 0);
      reply.setIntLE(PageReadLayout.REPLY_PAGES, pages);
    }

    void start() {
      ByteBuf message = request.payload();
      int at = message.readerIndex();
      CompletableFuture<Void> reached = null;
      for (int i = 0; i < floors; i++) {
        int floor = at + PageReadLayout.floorAt(i);
        int stream = message.getIntLE(floor + PageReadLayout.FLOOR_STREAM);
        long offset = message.getLongLE(floor + PageReadLayout.FLOOR_OFFSET);
        if (store.appliedOffset(stream) < offset) {
          CompletableFuture<Void> one =
              store.reached(stream, offset, deadline - Environment.nanoTime());
          reached = reached == null ? one : CompletableFuture.allOf(reached, one);
        }
      }
      if (reached == null) {
        readAll();
      } else {
        reached.whenComplete(
            (done, error) -> {
              if (error == null) {
                readAll();
              } else {
                fail(error);
              }
            });
      }
    }

    private void readAll() {
      for (int i = 0; i < pages; i++) {
        read(i, LSN_POLL_MICROS);
      }
    }

    /**
     * Reads the present version of a page, after the floors are reached.
     *
     * @param pauseMicros after which it is read again if that is too old
     */
    private void read(int page, long pauseMicros) {
      long destination =
          Memory.foreign(
              reply.memoryAddress() + PageReadLayout.imageAt(pages, page), PageLayout.PAGE_BYTES);
      try {
        store
            .readPage(ids[page], destination)
            .whenComplete((lsn, error) -> arrived(page, lsn, error, pauseMicros));
      } catch (RuntimeException e) {
        arrived(page, null, e, pauseMicros);
      }
    }

    private void arrived(int page, Long lsn, Throwable error, long pauseMicros) {
      if (error != null) {
        failOne(error);
      } else if (lsn >= lowest[page]) {
        reply.setLongLE(PageReadLayout.lsnAt(page), lsn);
        if (left.decrementAndGet() == 0) {
          request.reply(reply);
        }
      } else if (Environment.nanoTime() < deadline && !request.isCancelled()) {
        long longer = Math.min(2 * pauseMicros, LONGEST_LSN_POLL_MICROS);
        Later.run(pauseMicros, TimeUnit.MICROSECONDS, () -> read(page, longer));
      } else {
        failOne(
            new GaussException(
                SqlState.INSUFFICIENT_RESOURCES,
                "page " + PageId.toString(ids[page]) + " is not as new here as was asked for"));
      }
    }

    /**
     * The first failure is the answer; the buffer is released when no read writes to it any more.
     */
    private void failOne(Throwable error) {
      answer(error);
      if (left.decrementAndGet() == 0) {
        reply.release();
      }
    }

    private void fail(Throwable error) {
      answer(error);
      reply.release();
    }

    private void answer(Throwable error) {
      Throwable cause =
          error instanceof CompletionException && error.getCause() != null
              ? error.getCause()
              : error;
      if (cause instanceof GaussException expected) {
        request.fail(expected.state(), expected.getMessage());
      } else {
        LOG.error("pages cannot be read", cause);
        request.fail(SqlState.INTERNAL_ERROR, cause.toString());
      }
    }
  }
}
