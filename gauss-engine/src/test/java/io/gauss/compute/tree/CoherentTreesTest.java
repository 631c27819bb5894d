package io.gauss.compute.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.UndoSpaces;
import io.gauss.compute.buffer.CoherentCluster;
import io.gauss.compute.buffer.DelayedLinks;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.space.Spaces;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trees and spaces whose pages three nodes take from each other all the time. */
@Timeout(300)
class CoherentTreesTest {
  private static final int NODES = 3;
  private static final int FRAMES = 48;
  private static final int PAGE_BYTES = 400;

  private final long seed = Seeds.next();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private CoherentCluster cluster;
  private final List<Spaces> spaces = new ArrayList<>();

  private void start(DelayedLinks links) {
    cluster =
        links == null
            ? new CoherentCluster(NODES, FRAMES)
            : new CoherentCluster(NODES, FRAMES, links);
    for (int slot = 1; slot <= NODES; slot++) {
      Spaces own = new Spaces(cluster.node(slot).pool(), slot);
      own.open(cluster.node(slot).newContext());
      spaces.add(own);
    }
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  private CoherentCluster.Node node(int slot) {
    return cluster.node(slot);
  }

  private BTree tree(int slot, int space) {
    return new BTree(node(slot).pool(), spaces.get(slot - 1), space, PAGE_BYTES);
  }

  private int createTree() {
    return BTree.create(node(1).newContext(), node(1).pool(), spaces.get(0));
  }

  /** In a new cluster all find nothing there, and one of them is to found it. */
  @Test
  void nodesThatOpenANewDatabaseAtTheSameTimeFoundItOnce() throws Exception {
    for (int round = 0; round < 20; round++) {
      if (cluster != null) {
        cluster.close();
        spaces.clear();
      }
      cluster = new CoherentCluster(NODES, FRAMES, DelayedLinks.upTo(200_000, seed + round));
      CyclicBarrier barrier = new CyclicBarrier(NODES);
      List<Future<Void>> opening = new ArrayList<>();
      for (int slot = 1; slot <= NODES; slot++) {
        int at = slot;
        spaces.add(new Spaces(node(slot).pool(), slot));
        opening.add(
            threads.submit(
                () -> {
                  barrier.await();
                  spaces.get(at - 1).open(node(at).newContext());
                  return null;
                }));
      }
      await(opening);
      for (int slot = 1; slot <= NODES; slot++) {
        for (int other = 1; other <= NODES; other++) {
          assertTrue(
              spaces.get(slot - 1).exists(node(slot).newContext(), UndoSpaces.of(other)),
              "node " + slot + " lacks the undo space of node " + other + " in round " + round);
        }
      }
    }
  }

  @Test
  void whatThreeNodesInsertAndRemoveInOneTreeIsThere() throws Exception {
    start(null);
    int space = createTree();
    TreeMap<byte[], byte[]> all = run(space, 2, 2500);
    check(space, all);
  }

  @Test
  void theSameWithDelayedMessagesAndThreadsThatPauseUnderLatches() throws Exception {
    start(DelayedLinks.upTo(1_000_000, seed));
    int space = createTree();
    AtomicBoolean done = new AtomicBoolean();
    List<Future<Void>> pausing = new ArrayList<>();
    for (int slot = 1; slot <= NODES; slot++) {
      int at = slot;
      pausing.add(threads.submit(() -> pause(at, space, done)));
    }
    TreeMap<byte[], byte[]> all;
    try {
      all = run(space, 2, 250);
    } finally {
      done.set(true);
    }
    await(pausing);
    check(space, all);
  }

  /** Stands still now and then with the latch of a page that the others want. */
  private Void pause(int slot, int space, AtomicBoolean done) {
    EngineContext ctx = node(slot).newContext();
    Random random = new Random(seed + 100 + slot);
    while (!done.get()) {
      try (PageGuard guard = new PageGuard()) {
        long page = PageId.of(space, 1 + random.nextInt(40));
        boolean latched =
            random.nextBoolean()
                ? node(slot).pool().tryWrite(ctx, page, guard)
                : node(slot).pool().tryRead(ctx, page, guard);
        if (latched) {
          LockSupport.parkNanos(random.nextLong(3_000_000));
        }
      }
      LockSupport.parkNanos(200_000);
    }
    return null;
  }

  @Test
  void treesAreMadeAndDroppedWhileOtherNodesMakeSomeToo() throws Exception {
    start(null);
    Set<Integer> numbers = ConcurrentHashMap.newKeySet();
    List<Future<Void>> running = new ArrayList<>();
    for (int slot = 1; slot <= NODES; slot++) {
      int at = slot;
      running.add(threads.submit(() -> makeAndDrop(at, numbers)));
    }
    await(running);
    for (int slot = 1; slot <= NODES; slot++) {
      EngineContext ctx = node(slot).newContext();
      for (int space : numbers) {
        boolean isKept = spaces.get(slot - 1).exists(ctx, space);
        assertEquals(space % 2 == 0, isKept, "space " + space + " on node " + slot);
        if (isKept) {
          assertEquals(List.of(), TreeChecker.check(tree(slot, space), ctx).problems());
        }
      }
    }
  }

  private Void makeAndDrop(int slot, Set<Integer> numbers) {
    EngineContext ctx = node(slot).newContext();
    Spaces own = spaces.get(slot - 1);
    for (int i = 0; i < 12; i++) {
      int space = BTree.create(ctx, node(slot).pool(), own);
      assertTrue(numbers.add(space), "space " + space + " was given out twice");
      PlainTree tree = new PlainTree(tree(slot, space));
      for (int key = 0; key < 30; key++) {
        tree.put(ctx, ByteBuffer.allocate(4).putInt(key).array(), new byte[20]);
      }
      if (space % 2 != 0) {
        own.drop(ctx, space);
      }
    }
    return null;
  }

  @Test
  void aPageThatOneNodeFreesIsUsedAgainByTheNodeThatHoldsItsExtent() {
    start(null);
    int space = createTree();
    EngineContext first = node(1).newContext();
    EngineContext second = node(2).newContext();
    Set<Integer> used = new HashSet<>();
    for (int i = 0; i < 62; i++) { // the rest of the space's first extent, which node 1 holds
      used.add(write(1, first, space));
    }
    for (int page : used) {
      spaces.get(1).free(second, space, page);
    }
    int again = 0;
    for (int i = 0; i < 62; i++) {
      again += used.contains(write(1, first, space)) ? 1 : 0;
      assertTrue(!used.contains(write(2, second, space)), "node 2 holds another extent");
    }
    assertEquals(62, again);
  }

  private int write(int slot, EngineContext ctx, int space) {
    int page = spaces.get(slot - 1).reserve(ctx, space);
    long id = PageId.of(space, page);
    ctx.mtr().begin(200);
    try (PageGuard guard = new PageGuard()) {
      node(slot).pool().write(ctx, id, guard);
      io.gauss.compute.log.Pages.format(ctx.mtr(), guard);
      ctx.mtr().commit();
    } finally {
      ctx.mtr().abandon();
    }
    node(slot).pool().unpin(id);
    return page;
  }

  // ---- what the nodes do

  private TreeMap<byte[], byte[]> run(int space, int threadsPerNode, int steps) throws Exception {
    int count = NODES * threadsPerNode;
    List<Future<Map<byte[], byte[]>>> running = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int slot = i % NODES + 1;
      int thread = i;
      Random random = new Random(seed + i);
      Callable<Map<byte[], byte[]>> work = () -> work(slot, space, random, thread, count, steps);
      running.add(threads.submit(work));
    }
    TreeMap<byte[], byte[]> all = new TreeMap<>(Arrays::compareUnsigned);
    for (Map<byte[], byte[]> rows : await(running)) {
      all.putAll(rows);
    }
    return all;
  }

  private <T> List<T> await(List<Future<T>> running) throws Exception {
    List<T> results = new ArrayList<>();
    try {
      for (Future<T> each : running) {
        results.add(each.get(250, TimeUnit.SECONDS));
      }
    } catch (TimeoutException e) {
      StringBuilder busy = new StringBuilder("seed " + seed + ": nothing moves;");
      for (int slot = 1; slot <= NODES; slot++) {
        busy.append(" node ").append(slot).append(": ");
        node(slot).busy().forEach(page -> busy.append(PageId.toString(page)).append(' '));
      }
      throw new AssertionError(busy.toString(), e);
    } catch (ExecutionException e) {
      throw new AssertionError("seed " + seed, e.getCause());
    }
    return results;
  }

  /** Each thread has keys of its own, which lie between those of all others. */
  private Map<byte[], byte[]> work(
      int slot, int space, Random random, int thread, int count, int steps) {
    EngineContext ctx = node(slot).newContext();
    PlainTree tree = new PlainTree(tree(slot, space));
    Map<byte[], byte[]> twin = new TreeMap<>(Arrays::compareUnsigned);
    for (int step = 0; step < steps; step++) {
      int base = step * 4 / steps * 100; // moves on, so that pages behind become empty
      byte[] key = key((base + random.nextInt(150)) * count + thread);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          byte[] row = new byte[random.nextInt(60)];
          random.nextBytes(row);
          assertEquals(twin.put(key, row) == null, tree.put(ctx, key, row));
        }
        case 4, 5 -> assertEquals(twin.remove(key) != null, tree.remove(ctx, key));
        case 6 -> assertArrayEquals(twin.get(key), tree.get(ctx, key));
        default -> scan(ctx, tree.tree, key);
      }
      if (random.nextInt(200) == 0) {
        for (byte[] gone : List.copyOf(twin.keySet())) {
          assertTrue(tree.remove(ctx, gone));
          twin.remove(gone);
        }
      }
      assertEquals(0, ctx.latchesHeld());
      assertEquals(0, ctx.pagesRetained());
    }
    return twin;
  }

  private static void scan(EngineContext ctx, BTree tree, byte[] from) {
    byte[] before = null;
    try (TreeScan scan = new TreeScan(ctx)) {
      scan.open(tree, from, from.length, true, null, 0, true, false);
      for (int i = 0; i < 20 && scan.next(); i++) {
        byte[] key = Arrays.copyOf(new byte[0], io.gauss.common.page.TreePage.MAX_KEY_BYTES);
        key = Arrays.copyOf(key, scan.copyKey(key, 0));
        assertTrue(before == null || Arrays.compareUnsigned(before, key) < 0);
        before = key;
        if (i % 7 == 0) {
          scan.pause();
        }
      }
    }
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(4).putInt(i).array();
  }

  // ---- what there is when all is quiet

  private void check(int space, TreeMap<byte[], byte[]> all) {
    for (int slot = 1; slot <= NODES; slot++) {
      EngineContext ctx = node(slot).newContext();
      TreeChecker.Report report = TreeChecker.check(tree(slot, space), ctx);
      assertEquals(List.of(), report.problems(), "seed " + seed);
      assertEquals(all.size(), report.records(), "seed " + seed);
      PlainTree tree = new PlainTree(tree(slot, space));
      all.forEach((key, row) -> assertArrayEquals(row, tree.get(ctx, key)));
      node(slot).log().awaitDurable(ctx, node(slot).log().reservedLsn());
    }
    long away = 0;
    long kept = 0;
    for (int slot = 1; slot <= NODES; slot++) {
      assertTrue(node(slot).pool().evictions() > 0, "there was eviction");
      away += node(slot).pool().pagesAway();
      kept += node(slot).pool().pagesRetained();
    }
    assertTrue(away > 0 && kept > 0, "pages went while they were wanted under latches");
    for (int slot = 1; slot <= NODES; slot++) {
      compareWithStore(slot);
    }
  }

  private void compareWithStore(int slot) {
    EngineContext ctx = node(slot).newContext();
    try (Arena arena = Arena.ofConfined();
        PageGuard guard = new PageGuard()) {
      long stored = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
      for (long page : node(slot).pool().residentPages()) {
        node(slot).pool().read(ctx, page, guard);
        cluster.store().readPage(page, stored).join();
        int header = PageLayout.CHECKSUM + Integer.BYTES;
        assertArrayEquals(
            bytes(stored + header), bytes(guard.address() + header), PageId.toString(page));
        guard.close();
      }
    }
  }

  private static byte[] bytes(long address) {
    byte[] bytes = new byte[PageLayout.PAGE_BYTES - Integer.BYTES];
    Memory.copyOut(address, bytes, 0, bytes.length);
    return bytes;
  }
}
