package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.gauss.storage.local.pages.TestApply;
import io.gauss.storage.remote.PageCopies;
import io.gauss.storage.remote.RemotePages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three storage nodes with the same pages, with flipped bits on the disk of the first. */
@Timeout(180)
class PageRepairTest {
  private static final int PAGES = 20;
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;

  private final LocalNetwork network = new LocalNetwork();
  private final List<Node> nodes = new ArrayList<>();
  private final long destination =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
  private final long[] lsns = new long[PAGES];
  private long counter = 1;
  private long offset;

  /** A storage node that gets its redo from the test. */
  private final class Node implements AutoCloseable {
    final int number;
    final Path path;
    LocalPageStore store;
    Transport transport;
    PageRepair repair;

    Node(int number) {
      this.number = number;
      this.path = directory.resolve("node-" + number);
      openStore();
    }

    void openStore() {
      store = LocalPageStore.open(path, PageStoreSettings.defaults().withApply(new TestApply()));
    }

    NodeAddress listen() {
      transport = network.transport(TestNodes.config(number, NodeRole.STORAGE));
      Handlers handlers = new Handlers();
      new PageService(store, transport.allocator()).register(handlers);
      return transport.listen(new NodeAddress("local", number), handlers);
    }

    /**
     * Connects it to the others; one that cannot be reached is tried first.
     *
     * @param wait for how long it waits for one that is behind
     */
    void connect(Duration wait) {
      List<Peer> others = new ArrayList<>();
      for (int other : new int[] {9, 1, 2, 3}) {
        if (other != number) {
          others.add(transport.connect(new NodeAddress("local", other), other));
        }
      }
      repair = new PageRepair(store, new PageCopies(transport.allocator(), () -> others, wait));
    }

    /** Flips a bit in the middle of each file with pages. */
    void damage() throws IOException {
      store.close();
      int found = 0;
      try (var files = Files.list(path)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".blob")).toList()) {
          byte[] bytes = Files.readAllBytes(file);
          bytes[bytes.length / 2] ^= 1;
          Files.write(file, bytes);
          found++;
        }
      }
      assertTrue(found > 0);
      openStore();
    }

    @Override
    public void close() {
      transport.close();
      store.close();
    }
  }

  @BeforeEach
  void damageTheFirstNode() throws IOException {
    for (int number = 1; number <= 3; number++) {
      nodes.add(new Node(number));
    }
    for (int type : new int[] {TestApply.FORMAT, TestApply.WRITE}) {
      for (int page = 0; page < PAGES; page++) {
        write(type, page, nodes);
      }
    }
    nodes.forEach(node -> node.store.checkpoint());
    first().damage();
    nodes.forEach(Node::listen);
    nodes.forEach(node -> node.connect(LONG));
  }

  @AfterEach
  void close() {
    nodes.forEach(Node::close);
  }

  private Node first() {
    return nodes.getFirst();
  }

  /** Writes to a page; some of the nodes get the record. */
  private ByteBuffer write(int type, int page, List<Node> to) {
    long lsn = Lsn.of(counter++, 1);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(type, id(page), lsns[page], new byte[] {(byte) counter, 3, 1});
    lsns[page] = lsn;
    ByteBuffer bytes = mtrs.take();
    to.forEach(node -> node.store.apply(1, offset, bytes.duplicate().order(bytes.order())));
    offset += bytes.remaining();
    return bytes;
  }

  private static long id(int page) {
    return PageId.of(7, page + 1);
  }

  private long read(Node node, int page) {
    return node.store.readPage(id(page), destination).orTimeout(60, TimeUnit.SECONDS).join();
  }

  private byte[] bytes() {
    byte[] copy = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(destination, copy, 0, copy.length);
    return copy;
  }

  /** Reads all pages of the first node; returns how many are damaged. */
  private int damagedPages() {
    int damaged = 0;
    for (int page = 0; page < PAGES; page++) {
      try {
        read(first(), page);
      } catch (CompletionException e) {
        GaussException known = assertInstanceOf(GaussException.class, e.getCause());
        assertEquals(SqlState.DATA_CORRUPTED, known.state());
        damaged++;
      }
    }
    return damaged;
  }

  private void assertTheFirstNodeHasWhatTheSecondHas() {
    for (int page = 0; page < PAGES; page++) {
      assertEquals(lsns[page], read(first(), page));
      byte[] own = bytes();
      assertEquals(lsns[page], read(nodes.get(1), page));
      assertArrayEquals(bytes(), own);
    }
  }

  @Test
  void aDamagedPageIsReplacedByAnotherNodesCopyForGood() {
    assertEquals(1, damagedPages());
    assertEquals("damaged pages", first().store.problems().getFirst().what());
    first().repair.run();
    assertEquals(List.of(), first().store.problems());
    assertEquals(1, first().store.stats().pagesRepaired());
    assertTheFirstNodeHasWhatTheSecondHas();
    write(TestApply.WRITE, 0, nodes);
    first().store.checkpoint();
    first().store.close();
    first().openStore();
    assertEquals(0, damagedPages());
    assertTheFirstNodeHasWhatTheSecondHas();
  }

  @Test
  void aDamagedPageThatNobodyReadsIsFoundAndRepaired() {
    for (int turn = 0; turn < 4; turn++) {
      first().store.scrub(PAGES);
    }
    assertEquals(1, first().store.damagedPages());
    first().repair.run();
    assertEquals(1, first().store.stats().pagesRepaired());
    for (int turn = 0; turn < 4; turn++) {
      first().store.scrub(PAGES);
    }
    assertEquals(0, first().store.damagedPages());
    assertTheFirstNodeHasWhatTheSecondHas();
  }

  @Test
  void redoThatWaitsIsAppliedOnTopOfTheCopy() {
    for (int page = 0; page < PAGES; page++) {
      write(TestApply.WRITE, page, nodes);
    }
    assertThrows(GaussException.class, first().store::checkpoint);
    first().repair.run();
    first().store.checkpoint();
    assertEquals(offset, first().store.checkpointOffset(1));
    for (int page = 0; page < PAGES; page++) {
      write(TestApply.WRITE, page, nodes);
    }
    assertTheFirstNodeHasWhatTheSecondHas();
  }

  @Test
  void aCopyMayBeAheadOfTheRecordsThatComeHere() {
    assertEquals(1, damagedPages());
    List<ByteBuffer> late = new ArrayList<>();
    long at = offset;
    for (int page = 0; page < PAGES; page++) {
      late.add(write(TestApply.WRITE, page, nodes.subList(1, 3)));
    }
    first().repair.run();
    assertEquals(0, first().store.damagedPages());
    for (ByteBuffer record : late) {
      first().store.apply(1, at, record);
      at += record.remaining();
    }
    assertTheFirstNodeHasWhatTheSecondHas();
  }

  @Test
  void aNodeThatIsBehindGivesNoCopy() {
    first().connect(Duration.ofMillis(300));
    assertEquals(1, damagedPages());
    for (int page = 0; page < PAGES; page++) {
      write(TestApply.WRITE, page, List.of(first()));
    }
    first().repair.run();
    assertEquals(1, first().store.damagedPages());
    assertEquals(0, first().store.stats().pagesRepaired());
  }

  @Test
  void whoReadsTheDamagedPageGetsItFromAnotherNode() {
    Transport reader = network.transport(TestNodes.config(8, NodeRole.COMPUTE));
    List<Peer> peers = new ArrayList<>();
    for (Node node : nodes) {
      peers.add(reader.connect(new NodeAddress("local", node.number), node.number));
    }
    long failedOver = 0;
    try {
      while (failedOver == 0) { // until the first node was the first to be asked for the page
        RemotePages pages =
            new RemotePages(RemotePages.Settings.DEFAULTS, reader.allocator(), peers);
        try (pages) {
          for (int page = 0; page < PAGES; page++) {
            long lsn =
                pages
                    .readPage(id(page), 1, offset, destination)
                    .orTimeout(60, TimeUnit.SECONDS)
                    .join();
            assertEquals(lsns[page], lsn);
          }
        }
        failedOver = pages.failedOver();
      }
    } finally {
      reader.close();
    }
  }
}
