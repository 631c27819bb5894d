package io.gauss.common.page;

import io.gauss.common.memory.Memory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Pages of B-link trees: a slotted page with two fence keys and a common key prefix.
 *
 * <pre>
 * leaf record     0  2  length of the key suffix
 *                 2 24  version header ({@link VersionHeader})
 *                26     key suffix, then the row
 * inner record    0  2  length of the key suffix
 *                 2  4  child page number
 *                 6     key suffix
 * fences          at the page's end: low fence, then high key (absent on the last page of a level)
 * </pre>
 *
 * A page holds the keys k with low &lt;= k &lt; high. Every key of the page begins with the first
 * PREFIX_LENGTH bytes of the low fence; records hold only the rest, the suffix. An inner record's
 * child holds the keys from the record's key up to the next record's key; the first record's key
 * equals the page's low fence.
 *
 * <p>Keys are memcmp-ordered byte strings of at most {@link #MAX_KEY_BYTES}.
 */
public final class TreePage {
  /**
   * Longest key. With two fences of this length and records of at most a quarter page (plus slot)
   * every split finds a place: (8128 - 2 * 1536) / 2 + 2056 + 2 * 1536 &lt;= 8128.
   */
  public static final int MAX_KEY_BYTES = 1536;

  /** Longest leaf record; longer rows overflow. */
  public static final int MAX_RECORD_BYTES = PageLayout.PAGE_BYTES / 4;

  private static final int KEY_LENGTH = 0;
  private static final int VERSION = KEY_LENGTH + 2;
  private static final int LEAF_KEY = VERSION + VersionHeader.BYTES;
  private static final int CHILD = KEY_LENGTH + 2;
  private static final int INNER_KEY = CHILD + 4;

  /** More records than a leaf can hold. */
  public static final int MOST_LEAF_RECORDS =
      PageLayout.PAGE_BYTES / (LEAF_KEY + SlottedPage.SLOT_BYTES);

  private static final VarHandle LONG_BE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT_BE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private TreePage() {}

  // --- fences and prefix

  public static int prefixLength(long page) {
    return Memory.getUnsignedShort(page + PageLayout.PREFIX_LENGTH) & PageLayout.PAGE_MASK;
  }

  public static int lowLength(long page) {
    return Memory.getUnsignedShort(page + PageLayout.LOW_LENGTH) & PageLayout.PAGE_MASK;
  }

  public static boolean hasHigh(long page) {
    return Memory.getUnsignedShort(page + PageLayout.HIGH_LENGTH) != PageLayout.NO_HIGH_KEY;
  }

  /** Length of the high key, 0 when there is none. */
  public static int highLength(long page) {
    int length = Memory.getUnsignedShort(page + PageLayout.HIGH_LENGTH);
    return length == PageLayout.NO_HIGH_KEY ? 0 : length & PageLayout.PAGE_MASK;
  }

  public static long lowAddress(long page) {
    return page + PageLayout.PAGE_BYTES - SlottedPage.fenceBytes(page);
  }

  public static long highAddress(long page) {
    return page + PageLayout.PAGE_BYTES - highLength(page);
  }

  // --- records

  /** Bytes of a leaf record, without its slot. */
  public static int leafBytes(int suffixLength, int rowLength) {
    return LEAF_KEY + suffixLength + rowLength;
  }

  /** Bytes of an inner record, without its slot. */
  public static int innerBytes(int suffixLength) {
    return INNER_KEY + suffixLength;
  }

  /**
   * Writes the beginning of a leaf record. The version header follows ({@link VersionHeader}), then
   * the key suffix and the row.
   */
  public static void startLeafRecord(RecordSink to, int suffixLength) {
    to.putShort(suffixLength);
  }

  /** Writes an inner record whose key suffix is that part of the array. */
  public static void putInnerRecord(
      RecordSink to, int child, byte[] key, int offset, int suffixLength) {
    to.putShort(suffixLength);
    to.putInt(child);
    to.putBytes(key, offset, suffixLength);
  }

  static int keyOffset(long page) {
    return PageView.level(page) == 0 ? LEAF_KEY : INNER_KEY;
  }

  /** Address of a leaf record; its fixed part is inside the page for any content of the slot. */
  static long leafRecord(long page, int slot) {
    return page + Math.min(SlottedPage.recordOffset(page, slot), PageLayout.PAGE_BYTES - LEAF_KEY);
  }

  static long innerRecord(long page, int slot) {
    return page + Math.min(SlottedPage.recordOffset(page, slot), PageLayout.PAGE_BYTES - INNER_KEY);
  }

  /** Child of an inner record. */
  public static int child(long page, int slot) {
    return Memory.getInt(innerRecord(page, slot) + CHILD);
  }

  /** Address of the version header of a leaf record. */
  public static long version(long page, int slot) {
    return leafRecord(page, slot) + VERSION;
  }

  static long suffixAddress(long page, int slot) {
    return PageView.level(page) == 0
        ? leafRecord(page, slot) + LEAF_KEY
        : innerRecord(page, slot) + INNER_KEY;
  }

  /** Length of the key suffix, cut to the record. */
  static int suffixLength(long page, int slot) {
    int offset = SlottedPage.recordOffset(page, slot);
    int fixed = keyOffset(page);
    int length = Memory.getUnsignedShort(page + Math.min(offset, PageLayout.PAGE_BYTES - fixed));
    return Math.max(0, Math.min(length, SlottedPage.recordLength(page, slot) - fixed));
  }

  public static int keyLength(long page, int slot) {
    return prefixLength(page) + suffixLength(page, slot);
  }

  public static long rowAddress(long page, int slot) {
    return leafRecord(page, slot) + rowOffset(page, slot);
  }

  /** Offset in its record at which the row begins. */
  public static int rowOffset(long page, int slot) {
    return LEAF_KEY + suffixLength(page, slot);
  }

  public static int rowLength(long page, int slot) {
    return Math.max(0, SlottedPage.recordLength(page, slot) - LEAF_KEY - suffixLength(page, slot));
  }

  /** Copies the whole key out; returns its length. */
  public static int copyKey(long page, int slot, byte[] to, int offset) {
    int prefix = prefixLength(page);
    int suffix = suffixLength(page, slot);
    Memory.copyOut(lowAddress(page), to, offset, prefix);
    Memory.copyOut(suffixAddress(page, slot), to, offset + prefix, suffix);
    return prefix + suffix;
  }

  public static int copyLow(long page, byte[] to, int offset) {
    int length = lowLength(page);
    Memory.copyOut(lowAddress(page), to, offset, length);
    return length;
  }

  /** Copies the high key out; -1 when there is none. */
  public static int copyHigh(long page, byte[] to, int offset) {
    if (!hasHigh(page)) {
      return -1;
    }
    int length = highLength(page);
    Memory.copyOut(highAddress(page), to, offset, length);
    return length;
  }

  // --- search

  /**
   * Finds a key among the page's records.
   *
   * @return its slot, or {@code ~slot} of the first record above it
   */
  public static int find(long page, byte[] key, int offset, int length) {
    int count = PageView.slotCount(page);
    int prefix = prefixLength(page);
    if (prefix != 0) {
      int c = compare(lowAddress(page), prefix, key, offset, Math.min(prefix, length));
      if (c != 0) {
        return c < 0 ? ~count : ~0;
      }
      offset += prefix;
      length -= prefix;
    }
    int fixed = keyOffset(page);
    int head = head(key, offset, length) ^ Integer.MIN_VALUE;
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long slot = Memory.getLong(SlottedPage.slotAddress(page, middle));
      int other = (int) (slot >>> 32) ^ Integer.MIN_VALUE;
      if (other < head) {
        low = middle + 1;
      } else if (other > head) {
        high = middle;
      } else {
        int c = compareSuffix(page, slot, fixed, key, offset, length);
        if (c < 0) {
          low = middle + 1;
        } else if (c > 0) {
          high = middle;
        } else {
          return middle;
        }
      }
    }
    return ~low;
  }

  private static int compareSuffix(
      long page, long slot, int fixed, byte[] key, int offset, int length) {
    int at = (int) slot & PageLayout.PAGE_MASK;
    int recordLength = Math.min((int) (slot >>> 16) & 0xFFFF, PageLayout.PAGE_BYTES - at);
    int suffix =
        Memory.getUnsignedShort(page + Math.min(at, PageLayout.PAGE_BYTES - fixed) + KEY_LENGTH);
    suffix = Math.max(0, Math.min(suffix, recordLength - fixed));
    return compare(page + at + fixed, suffix, key, offset, length);
  }

  /**
   * The child that holds the keys just below the given one: the last record below it, or the first.
   */
  public static int findChildBelow(long page, byte[] key, int offset, int length) {
    int slot = find(page, key, offset, length);
    return Math.max(0, (slot >= 0 ? slot : ~slot) - 1);
  }

  /** Compares a record's whole key with another. */
  public static int compareKey(long page, int slot, byte[] key, int offset, int length) {
    int prefix = prefixLength(page);
    int common = Math.min(prefix, length);
    int c = compare(lowAddress(page), prefix, key, offset, common);
    return c != 0
        ? c
        : compare(
            suffixAddress(page, slot),
            suffixLength(page, slot),
            key,
            offset + prefix,
            length - prefix);
  }

  /** Whether the key is at or above the page's high key, so that it belongs further right. */
  public static boolean isRightOf(long page, byte[] key, int offset, int length) {
    return hasHigh(page) && compare(highAddress(page), highLength(page), key, offset, length) <= 0;
  }

  /** Whether the key is below the page's low fence: the page was reached by a stale page number. */
  public static boolean isLeftOf(long page, byte[] key, int offset, int length) {
    return compare(lowAddress(page), lowLength(page), key, offset, length) > 0;
  }

  /** memcmp order of off-heap bytes against an array's. */
  public static int compare(long address, int length, byte[] key, int offset, int keyLength) {
    int common = Math.min(length, keyLength);
    int i = 0;
    for (; i + 8 <= common; i += 8) {
      long a = Memory.getLongBigEndian(address + i);
      long b = (long) LONG_BE.get(key, offset + i);
      if (a != b) {
        return Long.compareUnsigned(a, b);
      }
    }
    for (; i < common; i++) {
      int c = Memory.getUnsignedByte(address + i) - (key[offset + i] & 0xFF);
      if (c != 0) {
        return c;
      }
    }
    return length - keyLength;
  }

  /** First four bytes as a big-endian number, zeroes where the key is shorter. */
  public static int head(byte[] key, int offset, int length) {
    if (length >= 4) {
      return (int) INT_BE.get(key, offset);
    }
    int head = 0;
    for (int i = 0; i < 4; i++) {
      head = head << 8 | (i < length ? key[offset + i] & 0xFF : 0);
    }
    return head;
  }

  private static int head(long key, int length) {
    if (length >= 4) {
      return Memory.getIntBigEndian(key);
    }
    int head = 0;
    for (int i = 0; i < 4; i++) {
      head = head << 8 | (i < length ? Memory.getUnsignedByte(key + i) : 0);
    }
    return head;
  }

  /** Key head for the slot of a record; 0 on pages that are not tree pages. */
  static int headOfRecord(long page, int offset, int length) {
    if (PageView.type(page) != PageType.TREE) {
      return 0;
    }
    int fixed = keyOffset(page);
    if (length < fixed || offset + length > PageLayout.PAGE_BYTES) {
      return 0;
    }
    int suffix = Math.min(Memory.getUnsignedShort(page + offset), length - fixed);
    return head(page + offset + fixed, suffix);
  }

  // --- building

  /**
   * Inserts a leaf record before {@code slot}, from its parts.
   *
   * @param version address of the version header
   * @param bytes address of the key suffix, followed by the row
   */
  public static void insertLeafRecord(
      long page, int slot, long version, long bytes, int suffixLength, int rowLength) {
    int length = LEAF_KEY + suffixLength + rowLength;
    int offset = SlottedPage.startInsert(page, slot, length);
    long record = page + offset;
    Memory.putShort(record + KEY_LENGTH, suffixLength);
    Memory.copy(version, record + VERSION, VersionHeader.BYTES);
    Memory.copy(bytes, record + LEAF_KEY, suffixLength + rowLength);
    SlottedPage.endInsert(page, slot, offset, length);
  }

  /**
   * Rewrites a tree page with other fences: records from slot {@code keep} on are dropped, the rest
   * are moved together, their suffixes cut or lengthened for the new prefix. Deterministic.
   *
   * @param keys address of the low fence's bytes followed by the high key's; must not be inside the
   *     page
   * @param highLength {@link PageLayout#NO_HIGH_KEY} for none
   */
  public static void refence(
      long page,
      int keep,
      int flags,
      int rightSibling,
      int prefixLength,
      int lowLength,
      int highLength,
      long keys) {
    long copy = ScratchPages.acquire();
    try {
      Memory.copy(page, copy, PageLayout.PAGE_BYTES);
      Memory.putByte(page + PageLayout.FLAGS, flags);
      Memory.putInt(page + PageLayout.RIGHT_SIBLING, rightSibling);
      setFences(page, prefixLength, lowLength, highLength, keys);
      appendRecords(copy, 0, Math.min(keep, PageView.slotCount(copy)), page);
      Memory.putShort(page + PageLayout.LAST_INSERT, 0);
      Memory.putShort(page + PageLayout.INSERT_RUN, 0);
    } finally {
      ScratchPages.release(copy);
    }
  }

  /** Empties the page's slots and heap and sets fences and prefix. */
  public static void setFences(
      long page, int prefixLength, int lowLength, int highLength, long keys) {
    int bytes = lowLength + (highLength == PageLayout.NO_HIGH_KEY ? 0 : highLength);
    int end = PageLayout.PAGE_BYTES - bytes;
    SlottedPage.require(
        end > PageLayout.HEADER_BYTES && prefixLength <= lowLength, page, "fences of bytes", bytes);
    Memory.zero(
        page + PageLayout.HEADER_BYTES, PageLayout.PAGE_BYTES - PageLayout.HEADER_BYTES - bytes);
    Memory.copy(keys, page + end, bytes);
    Memory.putShort(page + PageLayout.PREFIX_LENGTH, prefixLength);
    Memory.putShort(page + PageLayout.LOW_LENGTH, lowLength);
    Memory.putShort(page + PageLayout.HIGH_LENGTH, highLength);
    Memory.putShort(page + PageLayout.SLOT_COUNT, 0);
    Memory.putShort(page + PageLayout.FREE_START, PageLayout.HEADER_BYTES);
    Memory.putShort(page + PageLayout.FREE_END, end);
    Memory.putShort(page + PageLayout.RECLAIMABLE, 0);
  }

  /**
   * Appends records [from, to) of a page to another of the same level, translating between their
   * prefixes.
   */
  public static void appendRecords(long from, int fromSlot, int toSlot, long to) {
    int fixed = keyOffset(from);
    int oldPrefix = prefixLength(from);
    int newPrefix = prefixLength(to);
    long scratch = ScratchPages.acquire();
    try {
      for (int i = fromSlot; i < toSlot; i++) {
        long record = SlottedPage.recordAddress(from, i);
        int length = SlottedPage.recordLength(from, i);
        if (newPrefix == oldPrefix) {
          SlottedPage.append(to, record, length);
          continue;
        }
        Memory.copy(record, scratch, fixed);
        int suffix = suffixLength(from, i);
        int grown = oldPrefix - newPrefix;
        SlottedPage.require(suffix + grown >= 0, from, "prefix longer than key at slot", i);
        Memory.putShort(scratch + KEY_LENGTH, suffix + grown);
        if (grown > 0) {
          Memory.copy(lowAddress(from) + newPrefix, scratch + fixed, grown);
          Memory.copy(record + fixed, scratch + fixed + grown, length - fixed);
        } else {
          Memory.copy(record + fixed - grown, scratch + fixed, length - fixed + grown);
        }
        SlottedPage.append(to, scratch, length + grown);
      }
    } finally {
      ScratchPages.release(scratch);
    }
  }
}
