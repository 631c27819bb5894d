package io.gauss.compute.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.fault.FaultPoints;
import io.gauss.common.page.PageView;
import io.gauss.common.page.TreePage;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Trees against a TreeMap, with pages that hold a handful of records and pools of a few frames. */
class BTreeFuzzTest {
  @Test
  void agreesWithATreeMapWithTinyPagesAndATinyPool() {
    long seed = Seeds.next();
    Random random = new Random(seed);
    for (int round = 0; round < 6; round++) {
      int maxUsed = new int[] {200, 400, 1000, 8192}[random.nextInt(4)];
      try (TestEngine engine = new TestEngine(12 + random.nextInt(30))) {
        run(engine, random, maxUsed, 3000);
      }
    }
  }

  private void run(TestEngine engine, Random random, int maxUsed, int steps) {
    EngineContext ctx = engine.newContext();
    int space = BTree.create(ctx, engine.pool(), engine.spaces());
    PlainTree tree = new PlainTree(new BTree(engine.pool(), engine.spaces(), space, maxUsed));
    TreeMap<byte[], byte[]> twin = new TreeMap<>(Arrays::compareUnsigned);
    int universe = 1 + random.nextInt(1500);
    int keyStyle = random.nextInt(3);
    for (int step = 0; step < steps; step++) {
      byte[] key = key(random.nextInt(universe), keyStyle);
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3, 4 -> {
          byte[] row = new byte[random.nextInt(maxUsed < 1000 ? 40 : 300)];
          random.nextBytes(row);
          assertEquals(twin.put(key, row) == null, tree.put(ctx, key, row));
        }
        case 5, 6 -> assertEquals(twin.remove(key) != null, tree.remove(ctx, key));
        case 7 -> assertArrayEquals(twin.get(key), tree.get(ctx, key));
        case 8 -> compareScan(ctx, tree.tree, twin, random, universe, keyStyle);
        default -> {
          if (random.nextInt(60) == 0) {
            // A range goes away: pages become empty and are unlinked.
            int from = random.nextInt(universe);
            for (int i = from; i < Math.min(universe, from + universe / 3); i++) {
              byte[] gone = key(i, keyStyle);
              assertEquals(twin.remove(gone) != null, tree.remove(ctx, gone));
            }
          } else if (random.nextInt(8) == 0) {
            int left = random.nextInt(1, 5);
            LeafCut cut = (page, slot) -> PageView.slotCount(page) > left ? left : 0;
            tree.tree.cut(ctx, key, 0, key.length, cut);
          }
        }
      }
      assertEquals(0, ctx.latchesHeld());
      if (step % 250 == 0) {
        check(ctx, tree.tree, twin.size());
      }
    }
    check(ctx, tree.tree, twin.size());
  }

  static void check(EngineContext ctx, BTree tree, int records) {
    TreeChecker.Report report = TreeChecker.check(tree, ctx);
    assertEquals(List.of(), report.problems());
    assertEquals(records, report.records());
  }

  /** Keys with long common prefixes, keys that are prefixes of each other, and plain numbers. */
  static byte[] key(int i, int style) {
    return switch (style) {
      case 0 -> ByteBuffer.allocate(4).putInt(i * 7919).array();
      case 1 ->
          ("a common beginning of all keys/" + i)
              .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      default -> {
        byte[] key = new byte[i % 7 + (i >> 5) % 40];
        Arrays.fill(key, (byte) (i % 3));
        yield ByteBuffer.allocate(key.length + 2).put(key).putShort((short) i).array();
      }
    };
  }

  private void compareScan(
      EngineContext ctx,
      BTree tree,
      TreeMap<byte[], byte[]> twin,
      Random random,
      int universe,
      int style) {
    byte[] low = random.nextInt(4) == 0 ? null : key(random.nextInt(universe), style);
    byte[] high = random.nextInt(4) == 0 ? null : key(random.nextInt(universe), style);
    if (high != null && random.nextInt(3) == 0) {
      high = Arrays.copyOf(high, random.nextInt(high.length + 1));
    }
    boolean lowInclusive = random.nextBoolean();
    boolean highInclusive = random.nextBoolean();
    boolean descending = random.nextBoolean();
    List<byte[]> expected = new ArrayList<>();
    NavigableMap<byte[], byte[]> from = low == null ? twin : twin.tailMap(low, lowInclusive);
    for (byte[] key : from.keySet()) {
      if (high != null) {
        boolean prefixed =
            key.length >= high.length && Arrays.equals(Arrays.copyOf(key, high.length), high);
        if (prefixed ? !highInclusive : Arrays.compareUnsigned(key, high) > 0) {
          break;
        }
      }
      expected.add(key);
    }
    if (descending) {
      java.util.Collections.reverse(expected);
    }
    try (TreeScan scan = new TreeScan(ctx)) {
      scan.open(
          tree,
          low,
          low == null ? 0 : low.length,
          lowInclusive,
          high,
          high == null ? 0 : high.length,
          highInclusive,
          descending);
      byte[] buffer = new byte[TreePage.MAX_KEY_BYTES];
      Iterator<byte[]> next = expected.iterator();
      while (scan.next()) {
        assertTrue(next.hasNext());
        byte[] key = next.next();
        if (random.nextInt(20) == 0) {
          scan.pause();
          if (random.nextBoolean()) {
            scan.repeat();
            assertTrue(scan.next());
          }
        }
        int length = scan.copyKey(buffer, 0);
        assertArrayEquals(key, Arrays.copyOf(buffer, length));
        if (random.nextInt(10) == 0) {
          scan.pause();
        }
      }
      assertFalse(next.hasNext());
    }
  }

  @Test
  void ascendingInsertsFillPages() {
    try (TestEngine engine = new TestEngine(400)) {
      EngineContext ctx = engine.newContext();
      int space = BTree.create(ctx, engine.pool(), engine.spaces());
      PlainTree tree = new PlainTree(new BTree(engine.pool(), engine.spaces(), space));
      int rows = 5000;
      for (int i = 0; i < rows; i++) {
        tree.put(ctx, ByteBuffer.allocate(8).putLong(i).array(), new byte[60]);
      }
      TreeChecker.Report report = TreeChecker.check(tree.tree, ctx);
      assertEquals(List.of(), report.problems());
      long bytes = rows * (26L + 8 + 60 + 8);
      assertTrue(report.leaves() * 8128 * 85 / 100 < bytes, report.toString());
    }
  }

  @Test
  void severalAscendingRunsFillPages() {
    try (TestEngine engine = new TestEngine(600)) {
      EngineContext ctx = engine.newContext();
      int space = BTree.create(ctx, engine.pool(), engine.spaces());
      PlainTree tree = new PlainTree(new BTree(engine.pool(), engine.spaces(), space));
      for (int i = 0; i < 4000; i++) {
        for (int district = 0; district < 3; district++) {
          byte[] key = ByteBuffer.allocate(8).putInt(district).putInt(i).array();
          tree.put(ctx, key, new byte[60]);
        }
      }
      TreeChecker.Report report = TreeChecker.check(tree.tree, ctx);
      assertEquals(List.of(), report.problems());
      long bytes = 12000 * (26L + 8 + 60 + 8);
      assertTrue(report.leaves() * 8128 * 75 / 100 < bytes, report.toString());
    }
  }

  @Test
  void threadsThatInsertRemoveAndScanLeaveASoundTree() throws Exception {
    long seed = Seeds.next();
    try (TestEngine engine = new TestEngine(64)) {
      EngineContext ctx = engine.newContext();
      int space = BTree.create(ctx, engine.pool(), engine.spaces());
      BTree tree = new BTree(engine.pool(), engine.spaces(), space, 500);
      int threads = 4;
      List<Callable<Map<byte[], byte[]>>> tasks = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        Random random = new Random(seed + t);
        int thread = t;
        tasks.add(() -> work(engine, tree, random, thread, threads));
      }
      TreeMap<byte[], byte[]> all = new TreeMap<>(Arrays::compareUnsigned);
      ExecutorService executor = Executors.newFixedThreadPool(threads);
      try {
        for (Future<Map<byte[], byte[]>> future : executor.invokeAll(tasks)) {
          all.putAll(future.get());
        }
      } finally {
        executor.shutdownNow();
      }
      check(ctx, tree, all.size());
      PlainTree plain = new PlainTree(tree);
      for (Map.Entry<byte[], byte[]> entry : all.entrySet()) {
        assertArrayEquals(entry.getValue(), plain.get(ctx, entry.getKey()));
      }
    }
  }

  /**
   * Each thread owns the keys that are its number modulo the threads, which lie between the
   * others'.
   */
  private static Map<byte[], byte[]> work(
      TestEngine engine, BTree tree, Random random, int thread, int threads) {
    EngineContext ctx = engine.newContext();
    PlainTree plain = new PlainTree(tree);
    Map<byte[], byte[]> twin = new TreeMap<>(Arrays::compareUnsigned);
    for (int step = 0; step < 6000; step++) {
      int base = step / 1500 * 800; // moves on, so that pages behind become empty
      byte[] key = key((base + random.nextInt(1000)) * threads + thread, 0);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          byte[] row = new byte[random.nextInt(60)];
          random.nextBytes(row);
          assertEquals(twin.put(key, row) == null, plain.put(ctx, key, row));
        }
        case 4, 5 -> assertEquals(twin.remove(key) != null, plain.remove(ctx, key));
        case 6 -> assertArrayEquals(twin.get(key), plain.get(ctx, key));
        default -> scanSome(ctx, tree, key, random);
      }
      assertEquals(0, ctx.latchesHeld());
    }
    return twin;
  }

  private static void scanSome(EngineContext ctx, BTree tree, byte[] from, Random random) {
    boolean descending = random.nextBoolean();
    byte[] before = null;
    try (TreeScan scan = new TreeScan(ctx)) {
      scan.open(
          tree,
          descending ? null : from,
          from.length,
          true,
          descending ? from : null,
          from.length,
          true,
          descending);
      for (int i = 0; i < 30 && scan.next(); i++) {
        byte[] key = new byte[TreePage.keyLength(scan.page(), scan.slot())];
        scan.copyKey(key, 0);
        if (before != null) {
          int c = Arrays.compareUnsigned(before, key);
          assertTrue(descending ? c > 0 : c < 0);
        }
        before = key;
        if (random.nextInt(5) == 0) {
          scan.pause();
        }
      }
    }
  }

  @Test
  void splitsWhoseSeparatorWasNeverPostedAreLegalAndGetCompleted() {
    Random random = new Random(Seeds.next());
    try (TestEngine engine = new TestEngine(200)) {
      EngineContext ctx = engine.newContext();
      int space = BTree.create(ctx, engine.pool(), engine.spaces());
      PlainTree tree = new PlainTree(new BTree(engine.pool(), engine.spaces(), space, 300));
      TreeMap<byte[], byte[]> twin = new TreeMap<>(Arrays::compareUnsigned);
      long incomplete = 0;
      for (int step = 0; step < 2000; step++) {
        byte[] key = key(random.nextInt(1000), 0);
        byte[] row = new byte[20];
        boolean die = random.nextInt(3) == 0;
        try (FaultPoints.Armed armed =
            FaultPoints.arm(
                "tree.before-post",
                () -> {
                  if (die) {
                    throw new IllegalStateException("died between split and posting");
                  }
                })) {
          assertEquals(twin.put(key, row) == null, tree.put(ctx, key, row));
        } catch (IllegalStateException e) {
          twin.remove(key);
          if (tree.get(ctx, key) != null) {
            twin.put(key, tree.get(ctx, key));
          }
        }
        assertEquals(0, ctx.latchesHeld());
        if (step % 100 == 0) {
          TreeChecker.Report report = TreeChecker.check(tree.tree, ctx);
          assertEquals(List.of(), report.problems());
          incomplete += report.incompleteSplits();
        }
      }
      assertTrue(incomplete > 0);
      check(ctx, tree.tree, twin.size());
      for (byte[] key : twin.keySet()) {
        assertArrayEquals(twin.get(key), tree.get(ctx, key));
        tree.tree.completeNoticed(ctx, TreeCursor.of(ctx));
      }
      assertEquals(0, TreeChecker.check(tree.tree, ctx).incompleteSplits());
    }
  }
}
