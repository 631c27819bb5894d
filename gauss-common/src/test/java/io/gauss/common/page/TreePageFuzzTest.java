package io.gauss.common.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.redo.RedoBuilder;
import io.gauss.common.redo.RedoType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random redo against a leaf, compared after each step with a sorted list of keys and records. */
class TreePageFuzzTest {
  private static final long ID = PageId.of(2, 3);
  private static final byte[] EMPTY = {};

  private record Entry(byte[] key, byte[] rest) {}

  private final long page = Memory.allocateForever(PageLayout.PAGE_BYTES, 64);
  private final long twinPage = Memory.allocateForever(PageLayout.PAGE_BYTES, 64);
  private final RedoBuilder redo = new RedoBuilder();
  private final List<Entry> twin = new ArrayList<>();

  @Test
  void agreesWithASortedListWhateverIsApplied() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("TreePageFuzzTest gauss.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 30; round++) {
      twin.clear();
      byte[] prefix = new byte[random.nextInt(12)];
      random.nextBytes(prefix);
      byte[] low = join(prefix, (byte) 10);
      byte[] high = random.nextInt(5) == 0 && prefix.length == 0 ? null : join(prefix, (byte) 250);
      both(() -> redo.formatTree(target, ID, 0, low, high, high == null ? 0 : prefix.length));
      for (int step = 0; step < 600; step++) {
        step(random, prefix, high == null ? 0 : prefix.length);
        compare(random);
      }
    }
  }

  private long target;

  private void both(Runnable change) {
    target = page;
    change.run();
    target = twinPage;
    change.run();
  }

  private void apply() {
    redo.applyTo(page);
    Memory.putLong(twinPage + PageLayout.LSN, Memory.getLong(page + PageLayout.LSN) - 256);
    redo.applyTo(twinPage);
  }

  private void step(Random random, byte[] prefix, int cut) {
    switch (random.nextInt(11)) {
      case 0, 1, 2, 3 -> insert(random, prefix, cut);
      case 4, 5 -> splice(random, cut);
      case 6 -> {
        if (!twin.isEmpty()) {
          int slot = random.nextInt(twin.size());
          int count = Math.min(1 + random.nextInt(3), twin.size() - slot);
          redo.start(RedoType.REMOVE, ID, 0).u16(slot).u16(count);
          apply();
          twin.subList(slot, slot + count).clear();
        }
      }
      case 7 -> {
        redo.start(RedoType.REMOVE_MANY, ID, 0);
        List<Entry> keep = new ArrayList<>();
        for (int i = 0; i < twin.size(); i++) {
          if (random.nextInt(8) == 0) {
            redo.u16(i);
          } else {
            keep.add(twin.get(i));
          }
        }
        apply();
        twin.clear();
        twin.addAll(keep);
      }
      case 8 -> version(random);
      case 9 -> insertMany(random, prefix, cut);
      default -> {
        // An image of the page equals the page, regardless of the bytes in the hole.
        redo.start(RedoType.IMAGE, ID, 0);
        int holeStart = PageView.freeStart(page);
        int holeEnd = PageView.freeEnd(page);
        redo.u16(holeStart).u16(holeEnd).memory(page + 4, holeStart - 4);
        redo.memory(page + holeEnd, PageLayout.PAGE_BYTES - holeEnd);
        apply();
      }
    }
  }

  private void insert(Random random, byte[] prefix, int cut) {
    byte[] tail = new byte[random.nextInt(6)];
    random.nextBytes(tail);
    byte[] key = join(join(prefix, (byte) (11 + random.nextInt(230))), tail);
    byte[] rest = new byte[24 + random.nextInt(random.nextInt(10) == 0 ? 800 : 60)];
    random.nextBytes(rest);
    int slot = TreePage.find(page, key, 0, key.length);
    int expected = find(key);
    assertEquals(expected, slot);
    int bytes = 2 + rest.length + key.length - cut;
    if (slot >= 0 || SlottedPage.freeBytes(page) < bytes + SlottedPage.SLOT_BYTES) {
      return;
    }
    redo.start(RedoType.INSERT, ID, 0).u16(~slot).u16(key.length - cut);
    redo.bytes(Arrays.copyOf(rest, 24)).bytes(Arrays.copyOfRange(key, cut, key.length));
    redo.bytes(Arrays.copyOfRange(rest, 24, rest.length));
    apply();
    twin.add(~slot, new Entry(key, rest));
  }

  private void insertMany(Random random, byte[] prefix, int cut) {
    byte[] header = new byte[24];
    random.nextBytes(header);
    List<Entry> rows = new ArrayList<>();
    int room = SlottedPage.freeBytes(page);
    for (int i = 0; i <= 230 && rows.size() < 40; i += 1 + random.nextInt(60)) {
      byte[] key = join(join(prefix, (byte) (11 + i)), (byte) random.nextInt(200));
      byte[] rest = new byte[24 + random.nextInt(60)];
      random.nextBytes(rest);
      System.arraycopy(header, 0, rest, 0, 24);
      room -= 2 + rest.length + key.length - cut + SlottedPage.SLOT_BYTES;
      if (find(key) < 0 && room >= 0) {
        rows.add(new Entry(key, rest));
      }
    }
    redo.start(RedoType.INSERT_MANY, ID, 0).bytes(header);
    int before = 0;
    for (Entry row : rows) {
      int slot = ~TreePage.find(page, row.key, 0, row.key.length);
      redo.u8(slot - before).u16(row.key.length - cut).u16(row.rest.length - 24);
      redo.bytes(Arrays.copyOfRange(row.key, cut, row.key.length));
      redo.bytes(Arrays.copyOfRange(row.rest, 24, row.rest.length));
      before = slot;
    }
    apply();
    for (Entry row : rows) {
      twin.add(~find(row.key), row);
    }
  }

  private void splice(Random random, int cut) {
    if (twin.isEmpty()) {
      return;
    }
    int slot = random.nextInt(twin.size());
    Entry entry = twin.get(slot);
    int row = entry.rest.length - 24;
    int at = random.nextInt(row + 1);
    int remove = random.nextInt(row - at + 1);
    byte[] bytes = new byte[random.nextInt(100)];
    random.nextBytes(bytes);
    if (SlottedPage.freeBytes(page) < bytes.length - remove) {
      return;
    }
    int inRecord = 26 + entry.key.length - cut + at;
    redo.start(RedoType.SPLICE, ID, 0).u16(slot).u16(inRecord).u16(remove).bytes(bytes);
    apply();
    byte[] rest = join(Arrays.copyOf(entry.rest, 24 + at), bytes);
    rest = join(rest, Arrays.copyOfRange(entry.rest, 24 + at + remove, entry.rest.length));
    twin.set(slot, new Entry(entry.key, rest));
  }

  private void version(Random random) {
    if (twin.isEmpty()) {
      return;
    }
    int slot = random.nextInt(twin.size());
    Entry entry = twin.get(slot);
    byte[] header = new byte[24];
    random.nextBytes(header);
    redo.start(RedoType.VERSION, ID, 0).u16(slot).bytes(header).u16(0).u16(0);
    apply();
    byte[] rest = entry.rest.clone();
    System.arraycopy(header, 0, rest, 0, 24);
    twin.set(slot, new Entry(entry.key, rest));
  }

  private int find(byte[] key) {
    int i = 0;
    while (i < twin.size() && Arrays.compareUnsigned(twin.get(i).key, key) < 0) {
      i++;
    }
    return i < twin.size() && Arrays.equals(twin.get(i).key, key) ? i : ~i;
  }

  private void compare(Random random) {
    assertEquals(twin.size(), PageView.slotCount(page));
    int live = 0;
    byte[] key = new byte[TreePage.MAX_KEY_BYTES];
    for (int i = 0; i < twin.size(); i++) {
      Entry entry = twin.get(i);
      int length = TreePage.copyKey(page, i, key, 0);
      assertArrayEquals(entry.key, Arrays.copyOf(key, length));
      byte[] rest = new byte[24 + TreePage.rowLength(page, i)];
      Memory.copyOut(TreePage.version(page, i), rest, 0, 24);
      Memory.copyOut(TreePage.rowAddress(page, i), rest, 24, rest.length - 24);
      assertArrayEquals(entry.rest, rest);
      assertEquals(i, TreePage.find(page, entry.key, 0, entry.key.length));
      live += SlottedPage.recordLength(page, i) + SlottedPage.SLOT_BYTES;
    }
    assertEquals(live, SlottedPage.usedBytes(page));
    if (random.nextInt(20) == 0) {
      assertEquals(-1, Memory.segment(page, 8192).mismatch(Memory.segment(twinPage, 8192)));
    }
    assertTrue(PageView.freeStart(page) <= PageView.freeEnd(page));
  }

  @Test
  void refenceKeepsTheKeysAndDropsTheRest() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.out.println("TreePageFuzzTest gauss.seed=" + seed);
    Random random = new Random(seed);
    redo.formatTree(page, ID, 0, EMPTY, null, 0);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      byte[] key = join(new byte[] {5, 5, 5, 5, 5}, (byte) i, (byte) random.nextInt(3));
      redo.start(RedoType.INSERT, ID, 0).u16(i).u16(key.length).bytes(new byte[24]).bytes(key);
      redo.bytes((byte) i).applyTo(page);
      keys.add(key);
    }
    byte[] low = {5, 5, 5, 5, 5};
    byte[] high = {5, 5, 5, 5, 5, 50};
    redo.start(RedoType.REFENCE, ID, 0).u16(50).u8(1).u8(0).u32(88).u16(5).u16(5).u16(6);
    redo.bytes(low).bytes(high).applyTo(page);
    assertEquals(50, PageView.slotCount(page));
    assertEquals(88, PageView.rightSibling(page));
    assertTrue(PageView.isIncompleteSplit(page));
    for (int i = 0; i < 50; i++) {
      assertEquals(2, TreePage.suffixLength(page, i));
      assertEquals(i, TreePage.find(page, keys.get(i), 0, 7));
      assertEquals(i, Memory.getByte(TreePage.rowAddress(page, i)));
    }
    assertTrue(TreePage.isRightOf(page, keys.get(50), 0, 7));
    redo.start(RedoType.REFENCE, ID, 0).u16(50).u8(0).u8(0).u32(0).u16(0).u16(0).u16(0xFFFF);
    redo.applyTo(page);
    for (int i = 0; i < 50; i++) {
      assertEquals(7, TreePage.suffixLength(page, i));
      assertEquals(i, TreePage.find(page, keys.get(i), 0, 7));
    }
  }

  @Test
  void aCorruptPageNeverLeadsOutside() {
    Random random = new Random(1);
    long slab = Memory.allocateForever(3L * PageLayout.PAGE_BYTES, 64);
    long victim = slab + PageLayout.PAGE_BYTES;
    byte[] noise = new byte[PageLayout.PAGE_BYTES];
    byte[] key = new byte[20];
    for (int i = 0; i < 2000; i++) {
      random.nextBytes(noise);
      Memory.copyIn(noise, 0, victim, noise.length);
      random.nextBytes(key);
      TreePage.find(victim, key, 0, random.nextInt(20));
      int slot = random.nextInt(1 << 16);
      long at = TreePage.leafRecord(victim, slot);
      assertTrue(at >= victim && at + TreePage.leafBytes(0, 0) <= victim + PageLayout.PAGE_BYTES);
      int offset = SlottedPage.recordOffset(victim, slot);
      int length = SlottedPage.recordLength(victim, slot);
      assertTrue(offset + length <= PageLayout.PAGE_BYTES);
    }
  }

  private static byte[] join(byte[] a, byte... b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
