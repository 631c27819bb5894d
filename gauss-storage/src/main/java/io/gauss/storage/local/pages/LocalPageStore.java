package io.gauss.storage.local.pages;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.redo.MtrLayout;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.api.CheckpointPace;
import io.gauss.storage.api.DurableImages;
import io.gauss.storage.api.PageStore;
import io.gauss.storage.disk.FreeSpace;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.agrona.collections.LongArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page store of a single process: records in memory per page, folded pages in memory,
 * everything else in RocksDB (or what stands for it, {@link KeyValueStore}).
 *
 * <p>A page consists of RocksDB's version, or the image in memory if there is one, plus the waiting
 * records. Records are copied when they are taken. They are folded when the page is read, when
 * memory runs short, or at a checkpoint, so a page that changes often is folded once for many
 * records.
 *
 * <p>Threads: {@code apply} runs on the caller's (a tail of each stream); reads on {@code
 * readThreads} platform threads, except that an image with nothing to fold is copied at once on the
 * caller's; {@link PageRoom} has a thread that folds when memory runs short; {@code checkpoint}
 * runs on the caller's.
 *
 * <p>Latch order: {@code checkpointing} or a stream's {@code applying}, then the lock of {@link
 * PageIndex}, which is held for microseconds. One thread at a time folds, copies out or writes a
 * page, after it has claimed the page's entry.
 *
 * <p>Invariants (see also {@link PageIndex}): the checkpoint's offsets are read before its pages
 * are chosen and written after them, so they never cover records that are not durable. Pages may be
 * newer than the offsets, since applying a record twice changes nothing. A failed write or fold
 * loses nothing: records and images stay and the next attempt uses them.
 *
 * <p>Not guaranteed: pages of one MTR are not read at one point in time; each is at or above the
 * requested floor.
 */
public final class LocalPageStore implements PageStore {
  private static final Logger LOG = LoggerFactory.getLogger(LocalPageStore.class);

  private static final int MAX_IMAGES = 8;

  private final PageStoreSettings settings;
  private final FreeSpace free;
  private final PageTable table;
  private final PageIndex index;
  private final PageRoom room;
  private final PageVisits visits;
  private final DamagedPages damaged = new DamagedPages();
  private final PageReads reads;

  /** Guarded by {@link #checkpointing}. */
  private final DeletedSpaces deletedSpaces;

  private final ReentrantLock checkpointing = new ReentrantLock();

  /** Images of this store that are being read. */
  private final Semaphore imagesOut = new Semaphore(MAX_IMAGES);

  private final PageStoreCounters counters = new PageStoreCounters();

  /** Where {@link #scrub} continues; guarded by {@link #checkpointing}. */
  private long scrubbed;

  /**
   * Opens or creates the store.
   *
   * @throws GaussException XX001 when it is damaged, IO_ERROR when it cannot be read
   */
  public static LocalPageStore open(Path directory, PageStoreSettings settings) {
    return open(
        directory,
        settings,
        RocksStore.open(directory, settings.memtableBytes(), settings.writeBytesPerSecond()));
  }

  /**
   * Opens the store above a given store of bytes, which it closes, also if the opening fails.
   *
   * @param directory for messages, and for the free space unless the settings tell it
   * @throws GaussException XX001 when it is damaged, IO_ERROR when it cannot be read
   */
  public static LocalPageStore open(Path directory, PageStoreSettings settings, KeyValueStore db) {
    PageTable table = PageTable.open(directory, db);
    try {
      LocalPageStore store = new LocalPageStore(directory, settings, table);
      store.room.start();
      return store;
    } catch (RuntimeException e) {
      table.close();
      throw e;
    }
  }

  private LocalPageStore(Path directory, PageStoreSettings settings, PageTable table) {
    this.settings = settings;
    this.free = new FreeSpace(directory, settings.minFreeBytes(), settings.freeBytes());
    this.table = table;
    this.index = new PageIndex(settings.apply(), settings.imageBytes());
    table.offsets().forEach((id, offset) -> index.streams.put(id, new StreamProgress(id, offset)));
    this.visits = new PageVisits(index, table, settings.apply(), damaged, counters);
    this.room = new PageRoom(index, settings.pendingLimitBytes(), new RoomVisitor());
    this.reads = new PageReads(index, room, settings, counters.reads, visits::read);
    visits.onLeaving(room::visited, reads::wake);
    this.deletedSpaces = new DeletedSpaces(table, index, damaged, counters);
    deletedSpaces.update();
  }

  /** Deletes the pages of dropped spaces; {@link #checkpointing} is held. */
  private void deleteSpaces() {
    if (deletedSpaces.update()) {
      room.emptied();
      reads.wake();
    }
  }

  // ---- taking records

  @Override
  public void apply(int streamId, long offset, ByteBuffer mtrs) {
    StreamProgress stream = index.stream(streamId);
    stream.applying.lock();
    try {
      ByteBuffer direct = mtrs;
      if (!mtrs.isDirect()) {
        direct = ByteBuffer.allocateDirect(mtrs.remaining()).put(mtrs.duplicate()).flip();
      }
      takeAll(stream, offset, Memory.addressOf(direct), direct.remaining());
      Reference.reachabilityFence(direct);
    } finally {
      stream.applying.unlock();
    }
    reads.wake();
  }

  private void takeAll(StreamProgress stream, long offset, long address, int bytes) {
    if (offset > stream.taken) {
      throw new IllegalStateException(
          "stream " + stream.stream + ": offset " + offset + " does not follow " + stream.taken);
    }
    room.await(stream);
    int at = 0;
    while (at < bytes) {
      long mtr = address + at;
      long mtrOffset = offset + at;
      if (!MtrBounds.hold(mtr, bytes - at)) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            "no mini-transaction at offset " + mtrOffset + " of stream " + stream.stream);
      }
      take(stream, mtrOffset, mtr);
      at += MtrLayout.length(mtr);
    }
    resolve();
  }

  private void take(StreamProgress stream, long mtrOffset, long mtr) {
    index.lock.lock();
    try {
      if (mtrOffset < stream.taken) {
        return; // taken before, or pages that contain it were installed meanwhile
      }
      index.take(stream, mtrOffset, mtr);
      room.taken();
    } finally {
      index.lock.unlock();
    }
    counters.records.add(MtrLayout.count(mtr));
    counters.recordBytes.add(MtrLayout.length(mtr));
  }

  /** Folds pages whose records may not join, which shows whether they do. */
  private void resolve() {
    while (true) {
      long pageId;
      index.lock.lock();
      try {
        pageId = index.nextUnresolved();
      } finally {
        index.lock.unlock();
      }
      if (pageId == PageId.NONE) {
        return;
      }
      try {
        visits.look(pageId);
      } catch (GaussException e) {
        // The page stays parked, so the stream's applied offset stays below it and its reads fail.
        LOG.debug("page {} cannot be folded", PageId.toString(pageId), e);
      }
    }
  }

  /** The operations of the thread that makes room. */
  private final class RoomVisitor implements PageRoom.Visitor {
    @Override
    public void fold(long pageId) {
      visits.fold(pageId);
    }

    @Override
    public void write(long pageId) {
      visits.write(pageId);
    }

    @Override
    public void checkDisk() {
      free.require(0);
    }
  }

  // ---- reading

  @Override
  public CompletableFuture<Long> readPage(
      long pageId, int streamId, long atLeastOffset, long destination) {
    return reads.read(pageId, streamId, atLeastOffset, destination);
  }

  @Override
  public CompletableFuture<Long> readPage(long pageId, long destination) {
    return reads.read(pageId, destination);
  }

  @Override
  public CompletableFuture<Void> reached(int streamId, long offset, long nanos) {
    return reads.reached(streamId, offset, nanos);
  }

  // ---- checkpoint

  /**
   * {@inheritDoc}
   *
   * <p>{@link #close} during a paced checkpoint ends the pauses, not the checkpoint.
   *
   * @throws GaussException 53100 when the disk is full, XX001 when a page is damaged, IO_ERROR;
   *     nothing is lost then and the last checkpoint stays valid
   */
  @Override
  public CheckpointResult checkpoint(CheckpointPace pace) {
    checkpointing.lock();
    try {
      checkOpen();
      long start = Environment.nanoTime();
      deleteSpaces();
      Map<Integer, Long> offsets = new TreeMap<>();
      LongArrayList pages = new LongArrayList();
      boolean progressed = false;
      index.lock.lock();
      try {
        for (StreamProgress stream : index.streams.values()) {
          offsets.put(stream.stream, stream.applied);
          progressed |= stream.applied > stream.checkpointed;
        }
        // What keeps the streams back may be of a space that a page written now says is in no use.
        progressed |= index.parkedPages() > 0;
        index.collectChanged(pages);
      } finally {
        index.lock.unlock();
      }
      long writtenBefore = counters.pagesWritten.sum();
      if (progressed) {
        free.require((long) pages.size() * PageLayout.PAGE_BYTES);
        long[] inOrder = pages.toLongArray();
        Arrays.sort(inOrder);
        writeAll(inOrder, pace);
        table.checkpoint(offsets);
        offsets.forEach((id, offset) -> index.streams.get(id).checkpointed = offset);
        deleteSpaces();
      }
      long nanos = Environment.nanoTime() - start;
      long written = counters.pagesWritten.sum() - writtenBefore;
      counters.checkpoints.increment();
      counters.checkpointNanos.add(nanos);
      return new CheckpointResult(
          Map.copyOf(offsets), written, written * PageLayout.PAGE_BYTES, nanos);
    } finally {
      checkpointing.unlock();
    }
  }

  /**
   * Writes the pages. A damaged page fails the checkpoint only after the others are written, so
   * that these do not fill the memory meanwhile.
   */
  private void writeAll(long[] pages, CheckpointPace pace) {
    GaussException failure = null;
    for (int i = 0; i < pages.length; i++) {
      pace.await(i, pages.length);
      try {
        visits.write(pages[i]);
      } catch (GaussException e) {
        if (e.state() != SqlState.DATA_CORRUPTED) {
          throw e;
        }
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public List<Problem> problems() {
    return Stream.of(damaged.problem(), room.problem(), room.isClosed() ? null : table.problem())
        .filter(Objects::nonNull)
        .toList();
  }

  public int damagedPages() {
    return damaged.count();
  }

  /** Ids of the pages that were found to be damaged and are not repaired. */
  public List<Long> damaged() {
    return damaged.ids();
  }

  /**
   * Checks the next pages on disk for damage, and starts over after the last. So damage in pages
   * that are never read is found before every copy of them is damaged. Does nothing during a
   * checkpoint.
   *
   * @param pages maximum number of pages
   * @throws GaussException IO_ERROR
   */
  public void scrub(int pages) {
    if (!checkpointing.tryLock()) {
      return;
    }
    try {
      if (!room.isClosed()) {
        PageFold work = new PageFold(settings.apply());
        long next = table.walk(scrubbed, pages, id -> look(id, work));
        scrubbed = next == PageId.NONE ? 0 : next;
      }
    } finally {
      checkpointing.unlock();
    }
  }

  private void look(long pageId, PageFold work) {
    counters.pagesScrubbed.increment();
    try {
      table.read(work.access, pageId, work.page);
    } catch (GaussException e) {
      damaged.failed(pageId, e);
    }
  }

  /**
   * Replaces a damaged page by another replica's copy, with the records that wait here applied to
   * it. The next checkpoint makes that durable. A page that turns out to be readable keeps its
   * content. Repairs must end before the store is closed.
   *
   * @param copy address of another store's copy of the page; that store must have applied every
   *     stream at least as far as this one. 8 KiB; the checksum field is ignored
   * @return the page's LSN now
   * @throws GaussException XX001 when the waiting records do not fit the copy, 53100, IO_ERROR; the
   *     page is then as it was
   */
  public long repair(long pageId, long copy) {
    checkOpen();
    return visits.repair(pageId, copy);
  }

  // ---- from and to other stores

  /**
   * An image from which another replica can be rebuilt. The store may be closed only after all
   * images are.
   *
   * @throws GaussException 53000 when too many are being read
   */
  public PagesImage image() {
    if (!imagesOut.tryAcquire()) {
      throw new GaussException(
          SqlState.INSUFFICIENT_RESOURCES,
          "the page store is being copied " + MAX_IMAGES + " times, or closed");
    }
    try {
      checkOpen();
      return table.image(imagesOut::release);
    } catch (RuntimeException e) {
      imagesOut.release();
      throw e;
    }
  }

  /** Takes over the image of another store while other work continues. */
  public PagesInstall install() {
    return new PagesInstall(
        index,
        room,
        table,
        counters,
        new PageFold(settings.apply()),
        checkpointing,
        this::deleteSpaces,
        visits::look,
        reads::wake);
  }

  /**
   * Forgets the progress of a stream that this node no longer keeps. Its changes to pages stay. If
   * the stream returns, it returns with all of its pages.
   */
  public void forget(int streamId) {
    checkpointing.lock();
    try {
      checkOpen();
      StreamProgress stream = index.streams.get(streamId);
      if (stream != null) {
        table.forgetOffset(streamId);
        index.forget(stream);
      }
    } finally {
      checkpointing.unlock();
    }
  }

  private void checkOpen() {
    if (room.isClosed()) {
      throw new IllegalStateException("the page store is closed");
    }
  }

  @Override
  public void standIn(DurableImages images) {
    visits.standIn(images);
  }

  @Override
  public long appliedOffset(int streamId) {
    StreamProgress stream = index.streams.get(streamId);
    return stream == null ? 0 : stream.applied;
  }

  @Override
  public long checkpointOffset(int streamId) {
    StreamProgress stream = index.streams.get(streamId);
    return stream == null ? 0 : stream.checkpointed;
  }

  @Override
  public List<Progress> progress() {
    return index.streams.values().stream()
        .map(stream -> new Progress(stream.stream, stream.applied, stream.checkpointed))
        .toList();
  }

  @Override
  public long pendingBytes() {
    index.lock.lock();
    try {
      return index.pendingBytes();
    } finally {
      index.lock.unlock();
    }
  }

  public PageStoreStats stats() {
    index.lock.lock();
    try {
      return counters.stats(index, table.reclaimedBytes(), room.waitNanos());
    } finally {
      index.lock.unlock();
    }
  }

  /** Closes without a checkpoint; redo since the last one is read from the streams again. */
  @Override
  public void close() {
    if (!room.close()) {
      return;
    }
    reads.close();
    imagesOut.acquireUninterruptibly(MAX_IMAGES);
    checkpointing.lock();
    try {
      // Threads in {@code apply} must have left before the memory is freed; later calls are
      // refused.
      for (StreamProgress stream : index.streams.values()) {
        stream.applying.lock();
        stream.applying.unlock();
      }
      table.close();
      deletedSpaces.close();
      index.lock.lock();
      try {
        index.close();
      } finally {
        index.lock.unlock();
      }
    } finally {
      checkpointing.unlock();
    }
  }

  /**
   * Frees the memory of a store that is never closed, because the threads that used it never run
   * again: those of a simulated process that was killed.
   */
  public void abandon() {
    deletedSpaces.close();
    index.close();
  }
}
