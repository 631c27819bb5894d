package io.gauss.storage.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.PageBatch;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.disk.SimulatedDisk;
import io.gauss.storage.local.log.LocalLogStream;
import io.gauss.storage.local.log.LogSettings;
import io.gauss.storage.local.pages.TestApply;
import io.gauss.storage.wire.PageReadLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pages read from three storage nodes, of which one at a time is faulty. */
@Timeout(180)
class RemotePagesTest {
  private static final long PAGE = PageId.of(7, 3);
  private static final long OTHER = PageId.of(7, 4);
  private static final RemotePages.Settings QUICK =
      new RemotePages.Settings(Duration.ofMillis(5), Duration.ofMillis(5), Duration.ofSeconds(20));
  private static final RemotePages.Settings IMPATIENT =
      new RemotePages.Settings(Duration.ofMillis(5), Duration.ofMillis(5), Duration.ofMillis(50));

  @TempDir Path directory;

  private final LocalNetwork network = new LocalNetwork();
  private final List<PageNode> nodes = new ArrayList<>();
  private final List<Peer> peers = new ArrayList<>();
  private final Transport transport = network.transport(TestNodes.config(9, NodeRole.COMPUTE));
  private final long destination =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
  private RemotePages pages;
  private long counter = 1;
  private long offset;

  @BeforeEach
  void open() {
    for (int i = 1; i <= 3; i++) {
      PageNode node = new PageNode(network, i, directory.resolve("node-" + i));
      nodes.add(node);
      peers.add(transport.connect(node.address, i));
    }
    pages = new RemotePages(QUICK, transport.allocator(), peers);
  }

  @AfterEach
  void close() {
    pages.close();
    transport.close();
    nodes.forEach(PageNode::close);
  }

  /** Applies a record to the pages of some nodes; returns its LSN. */
  private long record(int type, long pageId, long previous, List<PageNode> to) {
    long lsn = Lsn.of(counter++, 1);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(type, pageId, previous, new byte[] {(byte) counter, 3, 1});
    ByteBuffer bytes = mtrs.take();
    to.forEach(node -> node.apply(offset, bytes));
    offset += bytes.remaining();
    return lsn;
  }

  private long read(long pageId, long floor) {
    return pages.readPage(pageId, 1, floor, destination).orTimeout(60, TimeUnit.SECONDS).join();
  }

  private byte[] bytes() {
    byte[] copy = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(destination, copy, 0, copy.length);
    return copy;
  }

  @Test
  void aPageIsTheSameFromEveryNode() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, nodes);
    lsn = record(TestApply.WRITE, PAGE, lsn, nodes);
    byte[] first = null;
    for (Peer peer : peers) {
      pages.replicas(List.of(peer));
      assertEquals(lsn, read(PAGE, offset));
      assertEquals(lsn, Memory.getLong(destination + PageLayout.LSN));
      if (first == null) {
        first = bytes();
      }
      assertArrayEquals(first, bytes());
    }
  }

  @Test
  void oneOfTheNodesCanBeAskedWhateverTheOthersHave() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, nodes);
    long floor = offset;
    long later = record(TestApply.WRITE, PAGE, lsn, nodes.subList(0, 1));
    CompletableFuture<Long> first = pages.only(peers.get(0)).readPage(PAGE, 1, floor, destination);
    assertEquals(later, first.orTimeout(60, TimeUnit.SECONDS).join());
    CompletableFuture<Long> second = pages.only(peers.get(1)).readPage(PAGE, 1, floor, destination);
    assertEquals(lsn, second.orTimeout(60, TimeUnit.SECONDS).join());
    nodes.get(2).close();
    CompletionException gone =
        assertThrows(
            CompletionException.class,
            () -> pages.only(peers.get(2)).readPage(PAGE, 1, floor, destination).join());
    assertInstanceOf(GaussException.class, gone.getCause());
  }

  @Test
  void aPageNeverWrittenIsZero() {
    Memory.putLong(destination + 100, 77);
    assertEquals(0, read(OTHER, 0));
    assertEquals(0, Memory.getLong(destination + 100));
  }

  @Test
  void anyTwoNodesMayBeGone() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, nodes);
    nodes.get(0).close();
    assertEquals(lsn, read(PAGE, offset));
    nodes.get(2).close();
    for (int i = 0; i < 20; i++) {
      assertEquals(lsn, read(PAGE, offset));
    }
  }

  @Test
  void aNodeThatLagsIsNotWaitedFor() {
    long first = record(TestApply.FORMAT, PAGE, 0, nodes);
    long second = record(TestApply.WRITE, PAGE, first, nodes.subList(1, 3));
    for (int i = 0; i < 20; i++) {
      assertEquals(second, read(PAGE, offset));
    }
  }

  @Test
  void aReadWaitsForItsFloorWhereverItComesFirst() {
    long first = record(TestApply.FORMAT, PAGE, 0, nodes);
    CompletableFuture<Long> read = pages.readPage(PAGE, 1, offset + 1, destination);
    assertFalse(read.isDone());
    long second = record(TestApply.WRITE, PAGE, first, nodes.subList(2, 3));
    assertEquals(second, read.orTimeout(60, TimeUnit.SECONDS).join());
  }

  @Test
  void aReadThatNobodyCanAnswerFailsWhenItsTimeIsUp() {
    record(TestApply.FORMAT, PAGE, 0, nodes);
    try (RemotePages impatient = new RemotePages(IMPATIENT, transport.allocator(), peers)) {
      CompletionException error =
          assertThrows(
              CompletionException.class,
              () ->
                  impatient
                      .readPage(PAGE, 1, offset + 1, destination)
                      .orTimeout(60, TimeUnit.SECONDS)
                      .join());
      GaussException told = assertInstanceOf(GaussException.class, error.getCause());
      assertEquals(SqlState.CANNOT_CONNECT_NOW, told.state());
      assertTrue(told.getMessage().contains(PageId.toString(PAGE)), told.getMessage());
    }
  }

  @Test
  void readsUnderWayFailWhenThePagesAreClosed() {
    CompletableFuture<Long> read = pages.readPage(PAGE, 1, 1, destination);
    pages.close();
    assertThrows(CompletionException.class, () -> read.orTimeout(60, TimeUnit.SECONDS).join());
    assertTrue(pages.readPage(PAGE, 1, 0, destination).isCompletedExceptionally());
  }

  @Test
  void aBatchHasEveryPageAtItsFloorsAndLsns() {
    long first = record(TestApply.FORMAT, PAGE, 0, nodes);
    long second = record(TestApply.FORMAT, OTHER, 0, nodes);
    ByteBuf request = transport.allocator().buffer();
    PageReadLayout.writeHeader(request, 1, 3, 10_000);
    PageReadLayout.writeFloor(request, 1, offset);
    PageReadLayout.writePage(request, PAGE, first);
    PageReadLayout.writePage(request, PageId.of(7, 99), 0);
    PageReadLayout.writePage(request, OTHER, second);
    ByteBuf reply = call(request);
    PageReadLayout.checkReply(reply, 3, "test");
    assertEquals(first, reply.getLongLE(PageReadLayout.lsnAt(0)));
    assertEquals(0, reply.getLongLE(PageReadLayout.lsnAt(1)));
    assertEquals(second, reply.getLongLE(PageReadLayout.lsnAt(2)));
    assertEquals(OTHER, reply.getLongLE(PageReadLayout.imageAt(3, 2) + PageLayout.PAGE_ID));
    reply.release();
  }

  @Test
  void aReplyWithAPageOfALaterFormatIsRefused() {
    long lsn = record(TestApply.FORMAT, PAGE, 0, nodes);
    ByteBuf request = transport.allocator().buffer();
    PageReadLayout.writeHeader(request, 0, 1, 10_000);
    PageReadLayout.writePage(request, PAGE, lsn);
    ByteBuf reply = call(request);
    PageReadLayout.checkReply(reply, 1, "test");
    reply.setByte(
        PageReadLayout.imageAt(1, 0) + PageLayout.VERSION, PageLayout.CURRENT_VERSION + 1);
    GaussException e =
        assertThrows(GaussException.class, () -> PageReadLayout.checkReply(reply, 1, "test"));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, e.state());
    reply.release();
  }

  @Test
  void aPageIsWaitedForUntilItHasTheLsnAskedFor() {
    long first = record(TestApply.FORMAT, PAGE, 0, nodes);
    long next = Lsn.of(counter, 1);
    ByteBuf request = transport.allocator().buffer();
    PageReadLayout.writeHeader(request, 0, 1, 10_000);
    PageReadLayout.writePage(request, PAGE, next);
    CompletableFuture<ByteBuf> reply =
        peers.get(0).call(StorageMessages.READ_PAGES, request, 20_000_000_000L);
    assertEquals(next, record(TestApply.WRITE, PAGE, first, nodes));
    ByteBuf answer = reply.orTimeout(60, TimeUnit.SECONDS).join();
    assertEquals(next, answer.getLongLE(PageReadLayout.lsnAt(0)));
    answer.release();
  }

  @Test
  void aBatchComesFromANodeThatHasAllOfItAsNewAsIsWanted() {
    long first = record(TestApply.FORMAT, PAGE, 0, nodes);
    long behind = offset;
    long other = record(TestApply.FORMAT, OTHER, 0, nodes.subList(1, 3));
    long second = record(TestApply.WRITE, PAGE, first, nodes.subList(2, 3));
    long images =
        Memory.allocate(Arena.global(), 3L * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
    PageBatch atLsn =
        new PageBatch(1).page(OTHER, other).page(PAGE, second).page(PageId.of(7, 99), 0);
    PageBatch atVector = atLsn.floor(1, behind);
    for (int i = 0; i < 10; i++) {
      long[] lsns = pages.readPages(atVector, images).orTimeout(60, TimeUnit.SECONDS).join();
      assertArrayEquals(new long[] {other, second, 0}, lsns);
      assertEquals(OTHER, Memory.getLong(images + PageLayout.PAGE_ID));
      assertEquals(second, Memory.getLong(images + PageLayout.PAGE_BYTES + PageLayout.LSN));
      assertEquals(0, Memory.getLong(images + 2L * PageLayout.PAGE_BYTES + PageLayout.PAGE_ID));
    }
    PageBatch never = PageBatch.of(PAGE, 2, 1).floor(1, offset);
    try (RemotePages impatient = new RemotePages(IMPATIENT, transport.allocator(), peers)) {
      CompletionException late =
          assertThrows(CompletionException.class, () -> impatient.readPages(never, images).join());
      assertEquals(
          SqlState.CANNOT_CONNECT_NOW,
          assertInstanceOf(GaussException.class, late.getCause()).state());
    }
  }

  @Test
  void aRequestOfAnotherVersionOrShapeIsRefused() {
    ByteBuf version = transport.allocator().buffer();
    PageReadLayout.write(version, PageBatch.of(PAGE, 1, 0), 10).setShortLE(0, 9);
    assertRefused(version, "version 9");
    ByteBuf cut = transport.allocator().buffer();
    PageReadLayout.write(cut, PageBatch.of(PAGE, 1, 0), 10).writerIndex(20);
    assertRefused(cut, "20 bytes");
    ByteBuf many = transport.allocator().buffer();
    PageReadLayout.writeHeader(many, 0, 1 << 20, 10);
    assertRefused(many, "pages");
    assertRefused(transport.allocator().buffer(), "0 bytes");
  }

  private void assertRefused(ByteBuf request, String why) {
    CompletionException error = assertThrows(CompletionException.class, () -> call(request));
    TransportException told = assertInstanceOf(TransportException.class, error.getCause());
    assertEquals(SqlState.PROTOCOL_VIOLATION, told.state());
    assertTrue(told.getMessage().contains(why), told.getMessage());
  }

  private ByteBuf call(ByteBuf request) {
    return peers
        .get(0)
        .call(StorageMessages.READ_PAGES, request, 20_000_000_000L)
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  /** Rule 18: a compute node that starts again knows nothing of the pages that it wrote. */
  @Test
  void aComputeNodeThatStartsReadsNothingOlderThanItsStream() {
    LocalLogStream stream = LocalLogStream.open(new SimulatedDisk(), 1, LogSettings.defaults());
    long first = record(TestApply.FORMAT, PAGE, 0, nodes);
    long second = Lsn.of(counter, 1);
    CompletableFuture<LogStream.AppendResult> appended = new CompletableFuture<>();
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(first).record(TestApply.FORMAT, PAGE, 0, new byte[] {(byte) (counter), 3, 1});
    mtrs.begin(second).record(TestApply.WRITE, PAGE, first, new byte[] {1, 2, 3});
    stream.append(1, 0, first, second, mtrs.take(), appended::complete);
    assertInstanceOf(LogStream.AppendResult.Appended.class, appended.join());
    assertTrue(stream.endOffset() > offset);
    try (RemoteStorage storage = new RemoteStorage(stream, 1, pages, peers)) {
      CompletableFuture<Long> read = storage.pages().readPage(PAGE, 1, 0, destination);
      assertFalse(read.isDone());
      assertEquals(second, record(TestApply.WRITE, PAGE, first, nodes));
      assertEquals(second, read.orTimeout(60, TimeUnit.SECONDS).join());
    }
  }

  @Test
  void everyNodeTellsHowFarItsPagesAre() {
    List<PagesWatch> watches = new ArrayList<>();
    for (Peer peer : peers) {
      PagesWatch watch = new PagesWatch(peer, () -> {});
      watch.open();
      watches.add(watch);
    }
    record(TestApply.FORMAT, PAGE, 0, nodes.subList(0, 2));
    for (PagesWatch watch : watches.subList(0, 2)) {
      while (watch.applied(1) < offset) {
        Thread.onSpinWait();
      }
    }
    assertEquals(0, watches.get(2).applied(1));
    watches.forEach(PagesWatch::close);
  }
}
