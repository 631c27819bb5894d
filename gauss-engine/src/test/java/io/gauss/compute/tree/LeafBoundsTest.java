package io.gauss.compute.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.tree.LeafBounds.Leaf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Bounds of leaves against the leaves themselves, while the tree grows and shrinks. */
class LeafBoundsTest {
  private static final int UNIVERSE = 1200;

  @Test
  void agreeWithTheLeavesWhateverWasSplitAndUnlinked() {
    Random random = new Random(Seeds.next());
    for (int style = 0; style < 3; style++) {
      try (TestEngine engine = new TestEngine(2000)) {
        EngineContext ctx = engine.newContext();
        int space = BTree.create(ctx, engine.pool(), engine.spaces());
        int maxUsed = new int[] {200, 400, 1000}[random.nextInt(3)];
        PlainTree tree = new PlainTree(new BTree(engine.pool(), engine.spaces(), space, maxUsed));
        TreeSet<byte[]> twin = new TreeSet<>(Arrays::compareUnsigned);
        for (int step = 0; step < 3000; step++) {
          byte[] key = BTreeFuzzTest.key(random.nextInt(UNIVERSE), style);
          if (random.nextInt(3) > 0) {
            tree.put(ctx, key, new byte[random.nextInt(40)]);
            twin.add(key);
          } else if (random.nextInt(40) == 0) {
            removeSome(ctx, tree, twin, random, style);
          }
          if (step % 50 == 0) {
            compare(ctx, tree.tree, random, style);
          }
        }
      }
    }
  }

  /** Leaves become empty and are unlinked. */
  private static void removeSome(
      EngineContext ctx, PlainTree tree, TreeSet<byte[]> twin, Random random, int style) {
    int from = random.nextInt(UNIVERSE);
    for (int i = from; i < Math.min(UNIVERSE, from + UNIVERSE / 4); i++) {
      byte[] key = BTreeFuzzTest.key(i, style);
      assertEquals(twin.remove(key), tree.remove(ctx, key));
    }
  }

  private static void compare(EngineContext ctx, BTree tree, Random random, int style) {
    long[] pages = TreeLeafPages.list(tree, ctx);
    for (int i = 0; i < 20; i++) {
      byte[] key = BTreeFuzzTest.key(random.nextInt(UNIVERSE), style);
      int before = random.nextInt(4);
      int most = 1 + before + random.nextInt(30);
      long misses = tree.pool().misses();
      LeafBounds.Found found = LeafBounds.around(tree.pool(), ctx, tree.space(), key, before, most);
      assertEquals(0, found.missing());
      assertEquals(misses, tree.pool().misses());
      assertEquals(0, ctx.latchesHeld());
      List<Leaf> leaves = found.leaves();
      assertTrue(leaves.size() <= most);
      assertContiguous(leaves);
      Leaf own =
          leaves.stream()
              .filter(leaf -> Arrays.compareUnsigned(leaf.low(), key) <= 0)
              .filter(leaf -> leaf.high() == null || Arrays.compareUnsigned(key, leaf.high()) < 0)
              .findFirst()
              .orElseThrow();
      assertEquals(leafOf(tree, ctx, key), own.pageId());
      int place = indexOf(pages, leaves.getFirst().pageId());
      for (Leaf leaf : leaves) {
        assertEquals(pages[place++], leaf.pageId());
      }
      assertTrue(leaves.size() == most || place == pages.length, "stopped after " + leaves.size());
    }
  }

  private static void assertContiguous(List<Leaf> leaves) {
    for (int i = 1; i < leaves.size(); i++) {
      assertArrayEquals(leaves.get(i - 1).high(), leaves.get(i).low());
    }
  }

  private static long leafOf(BTree tree, EngineContext ctx, byte[] key) {
    TreeCursor cursor = TreeCursor.of(ctx);
    try {
      tree.findLeaf(ctx, cursor, key, 0, key.length, false);
      return cursor.guard.pageId();
    } finally {
      cursor.guard.close();
    }
  }

  private static int indexOf(long[] pages, long page) {
    int place = 0;
    while (pages[place] != page) {
      place++;
    }
    return place;
  }

  /** Every page of the path in turn is not in memory, or is being written. */
  @Test
  void nothingIsReadAndNothingIsWaitedFor() {
    try (TestEngine engine = new TestEngine(40)) {
      EngineContext ctx = engine.newContext();
      int space = BTree.create(ctx, engine.pool(), engine.spaces());
      PlainTree tree = new PlainTree(new BTree(engine.pool(), engine.spaces(), space, 200));
      for (int i = 0; i < 600; i++) {
        tree.put(ctx, BTreeFuzzTest.key(i, 0), new byte[30]);
      }
      byte[] key = BTreeFuzzTest.key(17, 0);
      // More leaves than frames: the inner pages of the key are driven out.
      List<Long> missing = new ArrayList<>();
      for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 600; i += 3) {
          tree.get(ctx, BTreeFuzzTest.key((i * 37 + round) % 600, 0));
        }
        long misses = engine.pool().misses();
        LeafBounds.Found found = LeafBounds.around(engine.pool(), ctx, space, key, 2, 5);
        assertEquals(misses, engine.pool().misses());
        if (found.leaves().isEmpty()) {
          assertNotEquals(0, found.missing());
          missing.add(found.missing());
        }
      }
      assertTrue(!missing.isEmpty(), "all inner pages were always there");
      PageGuard writer = new PageGuard();
      engine.pool().write(ctx, PageId.of(space, BTree.ROOT), writer);
      try {
        assertEquals(
            new LeafBounds.Found(List.of(), 0),
            LeafBounds.around(engine.pool(), engine.newContext(), space, key, 2, 5));
      } finally {
        writer.close();
      }
    }
  }
}
