package io.gauss.compute.txn.undo;

import io.gauss.common.id.Xid;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.PageView;
import io.gauss.common.page.PurgeListLayout;
import io.gauss.common.page.UndoDirectoryLayout;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.redo.RedoPayload;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageAwayException;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.buffer.RetainedPages;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.mtr.Mtr;
import io.gauss.compute.mtr.PageRecords;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The pages to which nothing leads any more and which snapshots, scans or readers may still need: a
 * compute slot has to give them back to spaces when the purge horizon allows it.
 *
 * <p>An entry is logged by the mini-transaction that removes the reference to the page ({@link
 * PurgeNote}), and erased when the page has been given back. So a crash loses no page: a restart,
 * or a node that takes over from a dead one, reads the list and continues. Giving back twice does
 * no harm: an entry is valid only while the page's LSN is below the entry's, and freeing the page
 * raises its LSN.
 *
 * <p>Lies in the slot's undo space, in pages that are never given back themselves. Latch order: a
 * page of the list after all others, undo pages included. Thread-safe; no other node writes these
 * pages, unless this node is dead.
 */
public final class PurgeList {
  /** Maximum number of pages that can be noted at once. */
  public static final int NOTES_MAX = 32;

  /** MTR bytes that one note or one erasure takes. */
  public static final int NOTE_BYTES =
      MtrLayout.RECORD_HEADER_BYTES + RedoPayload.WRITE_BYTES + PurgeListLayout.ENTRY_BYTES;

  /**
   * A page to give back.
   *
   * @param xid transaction whose end every snapshot has to see first, {@link Xid#NONE} when {@code
   *     after} counts
   * @param lsn the entry is valid only while the page's LSN is below this
   * @param after LSN that the purge horizon has to reach
   * @param listPage where the entry is
   * @param index where it is in that page
   */
  public record Entry(long pageId, long xid, long lsn, long after, int listPage, int index) {}

  private record ListPage(int number, BitSet taken) {}

  private final UndoSegments segments;
  private final ReentrantLock growth = new ReentrantLock();
  private final List<ListPage> pages = new ArrayList<>(); // guarded by itself
  private final ConcurrentHashMap<Long, Entry> entries = new ConcurrentHashMap<>(); // by page id
  private final ConcurrentLinkedQueue<Entry> stale = new ConcurrentLinkedQueue<>();

  // Avoids scanning a list again and again that waits for one old snapshot.
  private final AtomicInteger added = new AtomicInteger();
  private int addedAtLook;
  private long horizonAtLook;

  PurgeList(UndoSegments segments) {
    this.segments = segments;
  }

  /** Number of pages, or chains of them, that wait. */
  public int size() {
    return entries.size();
  }

  /**
   * Reserves places for entries, which need not all be used. Before latches and before any page is
   * retained; may wait.
   *
   * @param count at most {@link #NOTES_MAX}
   */
  public PurgeNote prepare(EngineContext ctx, int count) {
    PurgeNote note = tryTake(ctx, count);
    while (note == null) {
      grow(ctx, count);
      note = tryTake(ctx, count);
    }
    boolean pinned = false;
    try {
      segments.pool().pinToWrite(ctx, note.listPageId());
      pinned = true;
      return note;
    } finally {
      if (!pinned) {
        note.giveUp();
      }
    }
  }

  /**
   * Prepares the removal of an entry; null when the page is not in the list. As {@link #prepare}.
   */
  public PurgeNote prepareErase(EngineContext ctx, long pageId) {
    Entry entry = entries.get(pageId);
    return entry == null ? null : prepareErase(ctx, entry);
  }

  private PurgeNote prepareErase(EngineContext ctx, Entry entry) {
    PurgeNote note = new PurgeNote(this, ctx, entry);
    segments.pool().pinToWrite(ctx, note.listPageId());
    return note;
  }

  /**
   * Gives back the pages that can no longer be needed, and erases their entries; one thread at a
   * time. Failed entries are tried again.
   *
   * @param free gives a page back, unless that has been done before
   */
  public void giveBack(EngineContext ctx, Consumer<Entry> free) {
    long horizon = segments.horizon().marked();
    int addedNow = added.get();
    if (horizon == horizonAtLook && addedNow == addedAtLook && stale.isEmpty()) {
      return;
    }
    for (Entry old = stale.poll(); old != null; old = stale.poll()) {
      erase(ctx, old);
    }
    for (Entry entry : entries.values()) {
      boolean isDue =
          entry.xid == Xid.NONE ? entry.after <= horizon : segments.horizon().passed(entry.xid);
      if (isDue) {
        free.accept(entry);
        erase(ctx, entry);
      }
    }
    horizonAtLook = horizon;
    addedAtLook = addedNow;
  }

  private void erase(EngineContext ctx, Entry entry) {
    boolean done = false;
    while (!done) {
      Mtr mtr = ctx.mtr();
      try (PurgeNote note = prepareErase(ctx, entry)) {
        mtr.begin(NOTE_BYTES);
        if (note.erase(mtr)) {
          mtr.commit();
        }
        done = true;
      } catch (PageAwayException e) {
        done = false; // this node's recoverer has read the list: this node is dead
      } finally {
        mtr.abandon();
      }
    }
  }

  /**
   * Takes over the entries of a slot whose transactions have all ended, and which no node writes
   * until this has returned. May wait.
   *
   * @return their number
   */
  public int adopt(EngineContext ctx, PurgeList theirs) {
    Map<Integer, List<Entry>> byPage =
        theirs.entries.values().stream().collect(Collectors.groupingBy(Entry::listPage));
    int adopted = 0;
    for (List<Entry> some : byPage.values()) {
      for (int from = 0; from < some.size(); from += NOTES_MAX) {
        List<Entry> batch = some.subList(from, Math.min(some.size(), from + NOTES_MAX));
        adopt(ctx, theirs, batch);
        adopted += batch.size();
      }
    }
    return adopted;
  }

  /** One MTR: moves the entries from one page of the other list to one of this list. */
  private void adopt(EngineContext ctx, PurgeList theirs, List<Entry> batch) {
    Mtr mtr = ctx.mtr();
    long from = theirs.segments.id(batch.get(0).listPage);
    boolean done = false;
    while (!done) {
      segments.pool().pinToWrite(ctx, from);
      try (PurgeNote note = prepare(ctx, batch.size());
          PageGuard guard = new PageGuard()) {
        mtr.begin(2 * NOTE_BYTES * batch.size());
        segments.pool().write(ctx, from, guard);
        for (Entry entry : batch) {
          putErasure(mtr, guard, entry.index);
          note.adopt(mtr, entry);
        }
        mtr.commit();
        done = true;
      } catch (PageAwayException e) {
        done = false; // another node reads one of the pages
      } finally {
        mtr.abandon();
        segments.pool().unpin(from);
      }
    }
    batch.forEach(theirs::erased);
  }

  static void putErasure(Mtr mtr, PageGuard page, int index) {
    mtr.startRecord(page, RedoType.WRITE);
    mtr.putShort(PurgeListLayout.entry(index));
    mtr.putLong(0);
    mtr.putLong(0);
    mtr.putLong(0);
    mtr.endRecord();
  }

  // ---- places

  private PurgeNote tryTake(EngineContext ctx, int count) {
    synchronized (pages) {
      for (ListPage page : pages) {
        if (PurgeListLayout.ENTRIES - page.taken.cardinality() >= count) {
          int[] places = new int[count];
          int at = -1;
          for (int i = 0; i < count; i++) {
            at = page.taken.nextClearBit(at + 1);
            page.taken.set(at);
            places[i] = at;
          }
          return new PurgeNote(this, ctx, page.number, places);
        }
      }
      return null;
    }
  }

  void release(int listPage, int index) {
    synchronized (pages) {
      for (ListPage page : pages) {
        if (page.number == listPage) {
          page.taken.clear(index);
        }
      }
    }
  }

  void published(Entry entry) {
    Entry before = entries.put(entry.pageId, entry);
    if (before != null) {
      stale.add(before); // given back and in use again, since it can be noted again
    }
    if (entry.xid == Xid.NONE) {
      added.incrementAndGet();
    }
  }

  void erased(Entry entry) {
    entries.remove(entry.pageId, entry);
    release(entry.listPage, entry.index);
  }

  UndoSegments segments() {
    return segments;
  }

  private void grow(EngineContext ctx, int count) {
    ctx.waits().beforeWait();
    growth.lock();
    try {
      int last = UndoDirectoryLayout.ROOT;
      synchronized (pages) {
        for (ListPage page : pages) {
          if (PurgeListLayout.ENTRIES - page.taken.cardinality() >= count) {
            return; // another session has created it meanwhile
          }
          last = page.number;
        }
      }
      int page = segments.reserve(ctx);
      link(ctx, last, page);
      synchronized (pages) {
        pages.add(new ListPage(page, new BitSet()));
      }
    } finally {
      growth.unlock();
    }
  }

  private void link(EngineContext ctx, int last, int page) {
    boolean logged = false;
    try {
      segments.pool().pinToWrite(ctx, segments.id(last));
      try {
        RetainedPages.run(
            segments.pool(),
            ctx,
            () -> logPage(ctx, last, page),
            segments.id(last),
            segments.id(page));
        logged = true;
      } finally {
        segments.pool().unpin(segments.id(last));
      }
    } finally {
      if (logged) {
        segments.pool().unpin(segments.id(page));
      } else {
        segments.unreserve(ctx, page);
      }
    }
  }

  private void logPage(EngineContext ctx, int last, int page) {
    Mtr mtr = ctx.mtr();
    try (PageGuard before = new PageGuard();
        PageGuard made = new PageGuard()) {
      mtr.begin(UndoRedo.STRUCTURE_BYTES);
      segments.pool().write(ctx, segments.id(last), before);
      segments.pool().write(ctx, segments.id(page), made);
      PageRecords.format(mtr, made, PageType.PURGE_LIST, UndoRedo.nextGeneration(made));
      int link =
          last == UndoDirectoryLayout.ROOT
              ? UndoDirectoryLayout.PURGE_LIST
              : PageLayout.RIGHT_SIBLING;
      PageRecords.writeInt(mtr, before, link, page);
      mtr.commit();
    } finally {
      mtr.abandon();
    }
  }

  // ---- recovery

  /**
   * Reads the list, after redo and before anything is rolled back. Entries that do not depend on a
   * transaction still to be rolled back wait only for the snapshots that exist now.
   *
   * @param now a clock value above every LSN that the slot has logged
   */
  public void load(EngineContext ctx, long now) {
    try (PageGuard guard = new PageGuard()) {
      segments.pool().read(ctx, segments.id(UndoDirectoryLayout.ROOT), guard);
      int page = Memory.getInt(guard.address() + UndoDirectoryLayout.PURGE_LIST);
      guard.close();
      while (page != 0) {
        segments.pool().read(ctx, segments.id(page), guard);
        page = loadPage(page, guard.address(), now);
        guard.close();
      }
    }
  }

  /** Returns the number of the next one. */
  private int loadPage(int number, long address, long now) {
    BitSet taken = new BitSet();
    for (int i = 0; i < PurgeListLayout.ENTRIES; i++) {
      long at = address + PurgeListLayout.entry(i);
      long pageId = Memory.getLong(at + PurgeListLayout.PAGE);
      if (pageId != 0) {
        taken.set(i);
        long xid = Memory.getLong(at + PurgeListLayout.XID);
        long lsn = Memory.getLong(at + PurgeListLayout.LSN);
        Entry entry = new Entry(pageId, xid, lsn, Math.max(lsn, now), number, i);
        Entry other = entries.merge(pageId, entry, (a, b) -> a.lsn > b.lsn ? a : b);
        if (other != entry) {
          stale.add(entry);
        }
      }
    }
    synchronized (pages) {
      pages.add(new ListPage(number, taken));
    }
    return PageView.rightSibling(address);
  }
}
