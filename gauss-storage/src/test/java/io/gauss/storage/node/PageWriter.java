package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.gauss.common.id.PageId;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.LogStream.LogReader;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.remote.RemoteStorage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A compute node that writes pages, durably: whole pages of its own, and a few bytes of pages that
 * others also write. It knows the versions that every storage node must have. One thread at a time.
 */
final class PageWriter implements AutoCloseable {
  private static final int OWN_PAGES = 400;
  private static final int SHARED_SPACE = 99;
  private static final int SHARED_PAGES = 8;

  /** Offset of the writers' counts in a shared page: after the header, by slot. */
  private static final int COUNTS = 1_000;

  /** State shared by several writers: a writer has exclusive access to a shared page. */
  static final class SharedPages {
    private final Map<Long, Long> lsns = new TreeMap<>();
    private final Map<Long, Map<Integer, Integer>> counts = new TreeMap<>();

    /** By page, LSN of its newest version. */
    synchronized Map<Long, Long> lsns() {
      return new TreeMap<>(lsns);
    }

    /** By slot, how often each has written the page. */
    synchronized Map<Integer, Integer> counts(long page) {
      return new TreeMap<>(counts.get(page));
    }
  }

  /** A writer's count in the bytes of a shared page. */
  static int count(byte[] page, int slot) {
    return ByteBuffer.wrap(page)
        .order(ByteOrder.LITTLE_ENDIAN)
        .getInt(COUNTS + Integer.BYTES * slot);
  }

  final ComputeStandIn compute;
  private final RemoteStorage storage;
  private final SharedPages shared;
  private final Map<Long, Long> own = new ConcurrentHashMap<>();
  private final Random random;

  /** A compute node that has just joined, with its stream. */
  PageWriter(StorageNodes nodes, int number, SharedPages shared) {
    compute = new ComputeStandIn(nodes, number);
    storage = compute.open();
    this.shared = shared;
    random = new Random(number);
  }

  int stream() {
    return storage.stream().streamId();
  }

  long end() {
    return storage.stream().endOffset();
  }

  /** The stream from its start on, from any replica. */
  LogReader readAll() {
    return storage.stream().read(0);
  }

  /** By page of its own, LSN of its newest version. */
  Map<Long, Long> own() {
    return own;
  }

  /** Writes whole new images of this number of pages that no other node writes. */
  void writeOwn(int pages) {
    TestMtrs mtrs = new TestMtrs();
    long base = compute.clock.next(pages);
    mtrs.begin(base);
    Map<Long, Long> written = new HashMap<>();
    int first = random.nextInt(OWN_PAGES);
    for (int i = 0; i < pages; i++) {
      long page = PageId.of(10 + stream(), 1 + (first + i) % OWN_PAGES);
      written.put(page, mtrs.record(RedoType.IMAGE, page, own.getOrDefault(page, 0L), image(page)));
    }
    append(base, mtrs);
    own.putAll(written);
  }

  /** Increments a count in a page in which others also count. */
  void writeShared() {
    synchronized (shared) {
      long page = PageId.of(SHARED_SPACE, 1 + random.nextInt(SHARED_PAGES));
      long previous = shared.lsns.getOrDefault(page, 0L);
      Map<Integer, Integer> counts = shared.counts.computeIfAbsent(page, p -> new TreeMap<>());
      int count = counts.merge(stream(), 1, Integer::sum);
      compute.clock.observe(previous); // like a node that got the page from its last writer
      int records = previous == 0 ? 2 : 1;
      long base = compute.clock.next(records);
      TestMtrs mtrs = new TestMtrs().begin(base);
      long from = previous;
      if (previous == 0) {
        from = mtrs.record(RedoType.FORMAT, page, 0, format());
      }
      byte[] write =
          ByteBuffer.allocate(Short.BYTES + Integer.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putShort((short) (COUNTS + Integer.BYTES * stream()))
              .putInt(count)
              .array();
      shared.lsns.put(page, mtrs.record(RedoType.WRITE, page, from, write));
      append(base, mtrs);
    }
  }

  private void append(long base, TestMtrs mtrs) {
    CompletableFuture<AppendResult> done = new CompletableFuture<>();
    storage.stream()
        .append(storage.epoch(), end(), base, mtrs.lastLsn(), mtrs.take(), done::complete);
    try {
      assertInstanceOf(AppendResult.Appended.class, done.get(60, TimeUnit.SECONDS));
    } catch (Exception e) {
      throw new AssertionError("stream " + stream(), e);
    }
  }

  private byte[] image(long page) {
    byte[] bytes = new byte[4 + PageLayout.PAGE_BYTES - PageLayout.VERSION];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putShort(0, (short) PageLayout.HEADER_BYTES)
        .putShort(2, (short) PageLayout.HEADER_BYTES)
        .put(4, (byte) PageLayout.CURRENT_VERSION)
        .put(4 + PageLayout.TYPE - PageLayout.VERSION, (byte) PageType.TREE)
        .putLong(4 + PageLayout.PAGE_ID - PageLayout.VERSION, page);
    return bytes;
  }

  private static byte[] format() {
    return ByteBuffer.allocate(18)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) PageType.TREE)
        .putInt(4, 1)
        .putShort(16, (short) PageLayout.NO_HIGH_KEY)
        .array();
  }

  /** The process is gone, as if it had been killed. */
  @Override
  public void close() {
    storage.close();
    compute.close();
  }
}
