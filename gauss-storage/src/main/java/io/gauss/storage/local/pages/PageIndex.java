package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.MtrLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

/**
 * A page store's state in memory: the waiting records and the folded image of each page, and the
 * progress of each stream.
 *
 * <p>All methods need {@link #lock} held, which is held for microseconds: no I/O and no fold under
 * it. A thread that folds, copies out or writes a page first claims its entry and detaches the
 * records, then works without the lock, and then finishes or gives back.
 *
 * <p>Invariants: a record is removed only when an image contains it or RocksDB has the page; an
 * image that RocksDB lacks is not dropped; an entry is dropped only when RocksDB has all of the
 * page, so RocksDB's version of a page without an entry is complete. A stream's applied offset
 * stays below its first record that does not join (rules 18, 28).
 */
final class PageIndex implements AutoCloseable {
  final ReentrantLock lock = new ReentrantLock();

  /** The streams; the map may be read without the lock. */
  final Map<Integer, StreamProgress> streams = new ConcurrentHashMap<>();

  /** Streams from which nothing was taken, but for which reads wait. */
  private final Map<Integer, StreamProgress> awaited = new HashMap<>();

  private final Condition released = lock.newCondition();
  private final PageApply pageApply;
  private final Long2ObjectHashMap<PageEntry> entries = new Long2ObjectHashMap<>();
  private final RecordBlocks blocks = new RecordBlocks();
  private final PageImages images;
  private final ParkedPages parked = new ParkedPages();
  private final LongArrayList unresolved = new LongArrayList();

  /** Spaces without pages; their records are not taken. */
  private final IntHashSet deleted = new IntHashSet();

  private int busyWaiters;
  private int dirtyImages;
  private long pendingBytes;

  PageIndex(PageApply pageApply, long imageBytes) {
    this.pageApply = pageApply;
    this.images = new PageImages(imageBytes, this::dropIfNeedless);
  }

  // ---- streams

  /** The progress of a stream that delivers records, from its first record on. */
  StreamProgress stream(int id) {
    StreamProgress known = streams.get(id);
    if (known != null) {
      return known;
    }
    lock.lock();
    try {
      return streams.computeIfAbsent(
          id,
          stream -> {
            StreamProgress waitedFor = awaited.remove(stream);
            return waitedFor != null ? waitedFor : new StreamProgress(stream, 0);
          });
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes a read wait for a stream. A waiting read does not make a stream known: the rules are
   * stricter, and checkpoints smaller, while only one stream is known.
   */
  StreamProgress await(int id, PageRead read) {
    lock.lock();
    try {
      StreamProgress known = streams.get(id);
      StreamProgress stream =
          known != null
              ? known
              : awaited.computeIfAbsent(id, unknown -> new StreamProgress(unknown, 0));
      stream.await(read);
      return stream;
    } finally {
      lock.unlock();
    }
  }

  /** Removes an unknown stream from the awaited ones if no read waits for it any more. */
  void askedNoMore(StreamProgress stream) {
    lock.lock();
    try {
      if (!stream.isAwaited()) {
        awaited.remove(stream.stream, stream);
      }
    } finally {
      lock.unlock();
    }
  }

  /** All streams, including those that are only awaited. */
  List<StreamProgress> allStreams() {
    lock.lock();
    try {
      List<StreamProgress> all = new ArrayList<>(streams.values());
      all.addAll(awaited.values());
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets a stream that this store no longer follows; its parked records stay. */
  void forget(StreamProgress stream) {
    lock.lock();
    try {
      streams.remove(stream.stream, stream);
    } finally {
      lock.unlock();
    }
  }

  /** Adds the pages with parked records below their streams' offsets given here. */
  void collectParkedBelow(Map<Integer, Long> offsets, LongArrayList to) {
    for (PageEntry entry : entries.values()) {
      if (entry.gap && isParkedBelow(entry, offsets)) {
        to.addLong(entry.pageId);
      }
    }
  }

  private static boolean isParkedBelow(PageEntry entry, Map<Integer, Long> offsets) {
    return entry.parked.entrySet().stream()
        .anyMatch(first -> first.getValue() < offsets.getOrDefault(first.getKey(), 0L));
  }

  // ---- taking records

  /**
   * Takes the records of an MTR that was checked.
   *
   * @throws GaussException XX001 when a record does not join and no other stream can deliver the
   *     missing one
   */
  void take(StreamProgress stream, long mtrOffset, long mtr) {
    long baseLsn = MtrLayout.baseLsn(mtr);
    if (stream.firstLsn == 0) {
      stream.firstLsn = baseLsn;
    }
    int count = MtrLayout.count(mtr);
    long record = mtr + MtrLayout.HEADER_BYTES;
    for (int i = 0; i < count; i++) {
      int length = MtrLayout.recordLength(record);
      takeRecord(stream, mtrOffset, record, length, MtrLayout.recordLsn(baseLsn, i));
      record += length;
    }
    stream.taken = mtrOffset + MtrLayout.length(mtr);
    updateApplied(stream);
  }

  private void takeRecord(
      StreamProgress stream, long mtrOffset, long record, int length, long lsn) {
    long pageId = MtrLayout.recordPageId(record);
    if (isDeleted(pageId)) {
      return;
    }
    long previous = MtrLayout.recordPrevPageLsn(record);
    PageEntry entry = entries.get(pageId);
    boolean joins;
    boolean mayClose = true;
    if (entry == null) {
      joins = isTaken(stream, previous, lsn) || pageApply.startsPage(MtrLayout.recordType(record));
      entry = new PageEntry(pageId);
      entries.put(pageId, entry);
    } else if (entry.gap) {
      entry.unsorted |= lsn < entry.tailLsn;
      joins = false;
      // A record that follows the last parked record is parked too and closes no gap.
      mayClose = previous != entry.tailLsn || pageApply.startsPage(MtrLayout.recordType(record));
    } else {
      if (lsn <= entry.tailLsn) {
        return; // taken before, or contained in a newer page that RocksDB had
      }
      joins = previous == entry.tailLsn || pageApply.startsPage(MtrLayout.recordType(record));
      if (!joins && streams.size() == 1 && Lsn.node(previous) == Lsn.node(lsn)) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "page "
                + PageId.toString(pageId)
                + " has LSN "
                + Lsn.toString(entry.tailLsn)
                + ", but record "
                + Lsn.toString(lsn)
                + " at offset "
                + mtrOffset
                + " of stream "
                + stream.stream
                + " follows "
                + Lsn.toString(previous));
      }
    }
    blocks.append(entry, record, length, lsn, mtrOffset, stream.stream);
    entry.pendingBytes += length;
    pendingBytes += length;
    entry.tailLsn = Math.max(entry.tailLsn, lsn);
    if (!joins) {
      parked.park(entry, stream.stream, mtrOffset);
      if (mayClose) {
        entry.stuck = false;
        if (!entry.unresolved) {
          entry.unresolved = true;
          unresolved.addLong(pageId);
        }
      }
    }
  }

  /**
   * Whether the previous record was certainly taken already, for a page without state in memory: it
   * came from the same stream, whose records are taken in order. If it were parked, the page would
   * be in memory.
   */
  private boolean isTaken(StreamProgress stream, long previous, long lsn) {
    return previous == Lsn.NONE
        || (Lsn.node(previous) == Lsn.node(lsn)
            && (streams.size() == 1 || previous >= stream.firstLsn));
  }

  void updateApplied() {
    for (StreamProgress stream : streams.values()) {
      updateApplied(stream);
    }
  }

  private void updateApplied(StreamProgress stream) {
    stream.applied = Math.min(stream.taken, parked.first(stream.stream));
  }

  /** A page that must be folded to find out whether its records join; 0 when there is none. */
  long nextUnresolved() {
    if (unresolved.isEmpty()) {
      return PageId.NONE;
    }
    long pageId = unresolved.popLong();
    PageEntry entry = entries.get(pageId);
    if (entry != null) {
      entry.unresolved = false;
    }
    return pageId;
  }

  // ---- spaces

  /**
   * From now on no record of these spaces is taken, and no page of them has an entry. Waits for
   * threads that use their pages.
   */
  void delete(List<Integer> spaces) {
    deleted.addAll(spaces);
    LongArrayList pages = new LongArrayList();
    for (PageEntry entry : entries.values()) {
      if (isDeleted(entry.pageId)) {
        pages.addLong(entry.pageId);
      }
    }
    for (int i = 0; i < pages.size(); i++) {
      PageEntry entry = claim(pages.getLong(i));
      if (entry != null) {
        discard(entry);
      }
    }
    updateApplied();
  }

  /** Whether the page's space was deleted. */
  boolean isDeleted(long pageId) {
    return !deleted.isEmpty() && deleted.contains(PageId.space(pageId));
  }

  private void discard(PageEntry entry) {
    parked.unpark(entry);
    blocks.release(entry.firstBlock);
    pendingBytes -= entry.pendingBytes;
    entry.firstBlock = 0;
    entry.lastBlock = 0;
    entry.pendingBytes = 0;
    setDirty(entry, false);
    if (entry.image != 0) {
      images.detach(entry);
    }
    release(entry);
  }

  // ---- one page

  /** Waits until the page's entry is idle and claims it; null when the page has no entry. */
  PageEntry claim(long pageId) {
    while (true) {
      PageEntry entry = entries.get(pageId);
      if (entry == null) {
        return null;
      }
      if (!entry.busy) {
        entry.busy = true;
        return entry;
      }
      busyWaiters++;
      released.awaitUninterruptibly();
      busyWaiters--;
    }
  }

  /**
   * Claims the page, and adds an entry if there is none. Records that arrive before RocksDB's
   * version of the page, or its replacement, is known are parked.
   */
  PageEntry claimOrAdd(long pageId) {
    PageEntry entry = claim(pageId);
    if (entry == null) {
      entry = new PageEntry(pageId);
      entry.busy = true;
      entries.put(pageId, entry);
      parked.expect(entry);
    }
    return entry;
  }

  /**
   * Gives up a claim by {@link #claimOrAdd}: records that arrived meanwhile must be checked later.
   */
  void abandon(PageEntry entry) {
    if (entry.gap && entry.hasRecords() && !entry.unresolved) {
      entry.unresolved = true;
      unresolved.addLong(entry.pageId);
    }
  }

  void release(PageEntry entry) {
    entry.busy = false;
    if (entry.gap && !entry.hasRecords()) {
      parked.unpark(entry);
    }
    if (busyWaiters > 0) {
      released.signalAll();
    }
    dropIfNeedless(entry);
  }

  private void dropIfNeedless(PageEntry entry) {
    if (entry.isNeedless() && !entry.gap) {
      entries.remove(entry.pageId);
    }
  }

  /** Hands the records to the thread that claimed the entry; new ones start a new chain. */
  void detach(PageEntry entry, PageFold fold) {
    fold.chain = entry.firstBlock;
    fold.chainEnd = entry.lastBlock;
    fold.chainBytes = entry.pendingBytes;
    fold.unsorted = entry.unsorted;
    fold.chainTailLsn = entry.tailLsn;
    entry.firstBlock = 0;
    entry.lastBlock = 0;
    entry.pendingBytes = 0;
    entry.unsorted = false;
  }

  /**
   * Gives the claimed entry an image, with no content yet; false when all slots hold pages that are
   * not written yet.
   */
  boolean attachImage(PageEntry entry) {
    return entry.image != 0 || images.attach(entry);
  }

  void copyOut(PageEntry entry, long destination) {
    Memory.copy(entry.image, destination, PageLayout.PAGE_BYTES);
    entry.referenced = true;
  }

  /**
   * Copies a page out if its image is in memory and complete and its entry is idle. Returns its
   * LSN, or 0.
   */
  long copyIfFolded(long pageId, long destination) {
    PageEntry entry = entries.get(pageId);
    if (entry == null || entry.busy || entry.image == 0 || entry.hasRecords()) {
      return Lsn.NONE;
    }
    copyOut(entry, destination);
    return entry.imageLsn;
  }

  /**
   * Keeps the folded page in an image, or drops it when RocksDB has it now.
   *
   * @param written whether RocksDB has the folded page
   * @return false when there was no room for an image, and the records stay as they were
   */
  boolean finish(PageEntry entry, PageFold fold, boolean written) {
    boolean hasImage = entry.image != 0 || (!written && images.attach(entry));
    boolean kept = hasImage || written;
    if (!kept) {
      giveBack(entry, fold);
    } else {
      if (hasImage) {
        Memory.copy(fold.page, entry.image, PageLayout.PAGE_BYTES);
        entry.imageLsn = fold.lsn();
        entry.referenced |= !written;
        setDirty(entry, !written && (entry.dirty || fold.isChanged()));
      }
      pendingBytes -= fold.chainBytes;
      keep(entry, fold.parked());
      blocks.release(fold.chain);
      entry.tailLsn = Math.max(entry.tailLsn, fold.lsn());
    }
    if (entry.gap || !fold.parked().isEmpty()) {
      boolean nothingJoins = judge(entry, fold.lsn());
      entry.stuck = kept && entry.gap && nothingJoins;
    }
    return kept;
  }

  private void keep(PageEntry entry, LongArrayList records) {
    for (int i = 0; i < records.size(); i++) {
      long at = records.getLong(i);
      long record = at + RecordBlocks.RECORD;
      int length = MtrLayout.recordLength(record);
      blocks.append(
          entry,
          record,
          length,
          Memory.getLong(at + RecordBlocks.RECORD_LSN),
          Memory.getLong(at + RecordBlocks.RECORD_OFFSET),
          Memory.getInt(at + RecordBlocks.RECORD_STREAM));
      entry.pendingBytes += length;
      pendingBytes += length;
      entry.unsorted = true;
    }
  }

  /**
   * Determines which records of a page with a gap still do not join, now that its LSN is known.
   * Returns whether no record above that LSN joins.
   */
  private boolean judge(PageEntry entry, long pageLsn) {
    parked.unpark(entry);
    LongArrayList all = new LongArrayList();
    RecordBlocks.collect(entry.firstBlock, all);
    PageFold.sort(all);
    long lsn = pageLsn;
    for (int i = 0; i < all.size(); i++) {
      long at = all.getLong(i);
      long recordLsn = Memory.getLong(at + RecordBlocks.RECORD_LSN);
      long record = at + RecordBlocks.RECORD;
      if (recordLsn <= lsn) {
        continue;
      }
      if (pageApply.startsPage(MtrLayout.recordType(record))) {
        parked.unpark(entry);
        lsn = recordLsn;
      } else if (MtrLayout.recordPrevPageLsn(record) == lsn) {
        lsn = recordLsn;
      } else {
        parked.park(
            entry,
            Memory.getInt(at + RecordBlocks.RECORD_STREAM),
            Memory.getLong(at + RecordBlocks.RECORD_OFFSET));
      }
    }
    updateApplied();
    return lsn == pageLsn;
  }

  /** Puts detached records back in front of those that arrived meanwhile. */
  void giveBack(PageEntry entry, PageFold fold) {
    if (fold.chain == 0) {
      return;
    }
    Memory.putLong(fold.chainEnd + RecordBlocks.NEXT, entry.firstBlock);
    entry.firstBlock = fold.chain;
    if (entry.lastBlock == 0) {
      entry.lastBlock = fold.chainEnd;
    }
    entry.pendingBytes += fold.chainBytes;
    entry.unsorted |= fold.unsorted;
  }

  private void setDirty(PageEntry entry, boolean dirty) {
    if (entry.dirty != dirty) {
      entry.dirty = dirty;
      dirtyImages += dirty ? 1 : -1;
    }
  }

  // ---- all pages

  /** Adds the pages of which RocksDB may not have all changes. */
  void collectChanged(LongArrayList to) {
    for (PageEntry entry : entries.values()) {
      if (entry.busy || entry.dirty || entry.hasFoldableRecords()) {
        to.addLong(entry.pageId);
      }
    }
  }

  /** Pages with records that may be folded, those with the most first. */
  LongArrayList foldablePages() {
    record Candidate(long pageId, int bytes) {}
    List<Candidate> candidates = new ArrayList<>();
    for (PageEntry entry : entries.values()) {
      if (entry.hasFoldableRecords() && !entry.busy) {
        candidates.add(new Candidate(entry.pageId, entry.pendingBytes));
      }
    }
    candidates.sort((a, b) -> Integer.compare(b.bytes(), a.bytes()));
    LongArrayList pages = new LongArrayList();
    candidates.forEach(candidate -> pages.addLong(candidate.pageId()));
    return pages;
  }

  /** A page whose image is not written, 0 when there is none. */
  long nextDirty() {
    PageEntry entry = images.nextDirty();
    return entry == null ? PageId.NONE : entry.pageId;
  }

  int dirtyImages() {
    return dirtyImages;
  }

  int imageLimit() {
    return images.limit();
  }

  int imagesUsed() {
    return images.used();
  }

  long pendingBytes() {
    return pendingBytes;
  }

  /** Memory of waiting records. */
  long pendingMemory() {
    return blocks.memory();
  }

  int parkedPages() {
    return parked.count();
  }

  @Override
  public void close() {
    blocks.close();
    images.close();
  }
}
