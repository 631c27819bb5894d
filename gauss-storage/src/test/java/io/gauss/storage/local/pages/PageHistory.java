package io.gauss.storage.local.pages;

import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.storage.api.TestMtrs;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The naive twin of a page store: a random history of MTRs on several streams, applied at once,
 * every version of every page kept. The pages lie in a few spaces; now and then one is dropped, and
 * another begun.
 */
final class PageHistory {
  private final Random random;
  private final PageApply apply = new TestApply();
  private final long page =
      Memory.allocate(Arena.global(), PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
  private final int streams;
  private final int pages;
  private final Map<Integer, ByteArrayOutputStream> bytes = new TreeMap<>();

  /** By stream, the offsets at which MTRs end. */
  private final Map<Integer, List<Long>> ends = new TreeMap<>();

  private final Map<Long, TreeMap<Long, byte[]>> versions = new HashMap<>();

  /** By page and stream, LSN by end offset of the MTR. */
  private final Map<Long, Map<Integer, TreeMap<Long, Long>>> reached = new HashMap<>();

  /** By page, its records in the order of LSNs. */
  private final Map<Long, List<Written>> records = new HashMap<>();

  private final List<Integer> spaces = new ArrayList<>(List.of(5, 6, 7));
  private int nextSpace = 8;
  private long counter = 1;

  /** A record of a page, with the beginning and end of its MTR in its stream. */
  private record Written(int stream, long mtrStart, long mtrEnd, boolean startsPage) {}

  PageHistory(Random random, int streams, int pages) {
    this.random = random;
    this.streams = streams;
    this.pages = pages;
    for (int s = 1; s <= streams; s++) {
      bytes.put(s, new ByteArrayOutputStream());
      ends.put(s, new ArrayList<>());
    }
  }

  /** Adds a random MTR to a random stream. */
  void step() {
    int stream = 1 + random.nextInt(streams);
    int count = 1 + random.nextInt(4);
    TestMtrs mtrs = new TestMtrs();
    long baseLsn = Lsn.of(counter, stream);
    counter += count;
    mtrs.begin(baseLsn);
    List<long[]> touched = new ArrayList<>();
    boolean drops = random.nextInt(100) == 0;
    for (int i = 0; i < count; i++) {
      long pageId = drops ? SpaceDirectoryLayout.pageId(0) : livePage();
      TreeMap<Long, byte[]> history = versions.computeIfAbsent(pageId, id -> new TreeMap<>());
      long previous = history.isEmpty() ? 0 : history.lastKey();
      boolean format = previous == 0 || (!drops && random.nextInt(40) == 0);
      byte[] payload = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 5000 : 60)];
      random.nextBytes(payload);
      if (drops) {
        payload = TestApply.unneeded(dropped());
      }
      // Recycling a page does not require its last LSN.
      long named = format && random.nextBoolean() ? 0 : previous;
      long lsn = mtrs.record(format ? TestApply.FORMAT : TestApply.WRITE, pageId, named, payload);
      byte[] version = applied(history, format, pageId, payload, lsn, stream);
      history.put(lsn, version);
      touched.add(new long[] {pageId, lsn, format ? 1 : 0});
    }
    ByteBuffer mtr = mtrs.take();
    byte[] copy = new byte[mtr.remaining()];
    mtr.get(copy);
    long start = bytes.get(stream).size();
    bytes.get(stream).writeBytes(copy);
    long end = bytes.get(stream).size();
    ends.get(stream).add(end);
    for (long[] each : touched) {
      reached
          .computeIfAbsent(each[0], id -> new HashMap<>())
          .computeIfAbsent(stream, s -> new TreeMap<>())
          .put(end, each[1]);
      records
          .computeIfAbsent(each[0], id -> new ArrayList<>())
          .add(new Written(stream, start, end, each[2] == 1));
    }
  }

  private int dropped() {
    return spaces.set(random.nextInt(spaces.size()), nextSpace++);
  }

  private long livePage() {
    return PageId.of(spaces.get(random.nextInt(spaces.size())), skewed());
  }

  /** Whether the page's space was dropped: no record of it follows. */
  boolean isDropped(long pageId) {
    int space = PageId.space(pageId);
    return space != SpaceDirectoryLayout.SPACE && !spaces.contains(space);
  }

  private int skewed() {
    return random.nextBoolean() ? random.nextInt(pages) : random.nextInt(1 + pages / 10);
  }

  private byte[] applied(
      TreeMap<Long, byte[]> history,
      boolean format,
      long pageId,
      byte[] payload,
      long lsn,
      int stream) {
    TestMtrs one = new TestMtrs();
    one.begin(lsn).record(format ? TestApply.FORMAT : TestApply.WRITE, pageId, 0, payload);
    ByteBuffer record = one.take();
    Memory.zero(page, PageLayout.PAGE_BYTES);
    if (!history.isEmpty()) {
      Memory.copyIn(history.lastEntry().getValue(), 0, page, PageLayout.PAGE_BYTES);
    }
    long address = Memory.addressOf(record);
    apply.apply(page, address + io.gauss.common.redo.MtrLayout.HEADER_BYTES, lsn, stream);
    java.lang.ref.Reference.reachabilityFence(record);
    byte[] version = new byte[PageLayout.PAGE_BYTES];
    Memory.copyOut(page, version, 0, version.length);
    return version;
  }

  int streams() {
    return streams;
  }

  long end(int stream) {
    return bytes.get(stream).size();
  }

  /** End offsets of a stream's MTRs, in order. */
  List<Long> ends(int stream) {
    return ends.get(stream);
  }

  /** A part of a stream. */
  ByteBuffer slice(int stream, long from, long to) {
    ByteBuffer direct = ByteBuffer.allocateDirect((int) (to - from));
    direct.put(bytes.get(stream).toByteArray(), (int) from, (int) (to - from)).flip();
    return direct;
  }

  long randomPage() {
    int newest = nextSpace - 1;
    return PageId.of(random.nextInt(3) == 0 ? 5 + random.nextInt(newest - 4) : newest, skewed());
  }

  Iterable<Long> pageIds() {
    return versions.keySet();
  }

  /** The page as of an LSN; null when there never was such a version. */
  byte[] version(long pageId, long lsn) {
    if (lsn == 0) {
      return new byte[PageLayout.PAGE_BYTES];
    }
    return versions.getOrDefault(pageId, new TreeMap<>()).get(lsn);
  }

  long latestLsn(long pageId) {
    TreeMap<Long, byte[]> history = versions.get(pageId);
    return history == null ? 0 : history.lastKey();
  }

  /**
   * Offset up to which a stream's records can be read after these deliveries: that of its first
   * record whose page lacks an earlier record of another stream.
   *
   * @param withDropped whether pages of dropped spaces count
   */
  long appliedAfter(int stream, Map<Integer, Long> delivered, boolean withDropped) {
    long applied = delivered.getOrDefault(stream, 0L);
    for (Map.Entry<Long, List<Written>> page : records.entrySet()) {
      if (!withDropped && isDropped(page.getKey())) {
        continue;
      }
      List<Written> ofPage = page.getValue();
      boolean joins = true;
      long parked = Long.MAX_VALUE;
      for (Written record : ofPage) {
        boolean isThere = record.mtrEnd() <= delivered.getOrDefault(record.stream(), 0L);
        joins = isThere && (joins || record.startsPage());
        if (joins && record.startsPage()) {
          parked = Long.MAX_VALUE; // records that waited before it are discarded
        } else if (isThere && !joins && record.stream() == stream) {
          parked = Math.min(parked, record.mtrStart());
        }
      }
      applied = Math.min(applied, parked);
    }
    return applied;
  }

  /** Minimum LSN of a page when a stream is applied up to an offset. */
  long leastLsn(long pageId, int stream, long offset) {
    Map<Integer, TreeMap<Long, Long>> byStream = reached.get(pageId);
    if (byStream == null || !byStream.containsKey(stream)) {
      return 0;
    }
    Map.Entry<Long, Long> entry = byStream.get(stream).floorEntry(offset);
    return entry == null ? 0 : entry.getValue();
  }
}
