package io.gauss.bench.micro;

import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.bucket.ReadFloor;
import io.gauss.memory.cache.PageCache;
import io.gauss.memory.cache.SlotKind;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.DirectoryAction;
import io.gauss.memory.coherence.DirectoryEvent;
import io.gauss.memory.coherence.DirectoryPage;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.directory.DirectoryEntry;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.home.PageHomes;
import io.gauss.memory.home.PageOrders;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One event loop of a memory node, without messages: entries of the page directory at random, the
 * coherence protocol over them, and the page cache. Operations per microsecond are millions per
 * second for one core.
 */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow",
      "--add-opens=java.base/java.lang=ALL-UNNAMED",
      "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
      "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
      "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
      "-Dchronicle.analytics.disable=true",
      "-Dchronicle.announcer.disable=true",
      "-XX:+UseCompactObjectHeaders",
      "-Xmx512m"
    })
public class MemoryNodeBenchmark {
  private static final int SPACE = 7;

  @Param("1000000")
  private int entries;

  @Param("20000")
  private int slots;

  private final SplittableRandom random = new SplittableRandom(1);
  private final DirectoryEntry entry = new DirectoryEntry();
  private final DirectoryPage owned =
      new DirectoryPage(DirectoryPage.State.OWNED, 1, 0, 1, Slots.NONE, 0, false, List.of());
  private final Arena arena = Arena.ofShared();
  private PageDirectory directory;
  private PageDirectory homeDirectory;
  private PageHomes homes;
  private PageCache cache;
  private long page;
  private long lastNumber;
  private int fresh;

  @Setup
  public void open() {
    directory = new PageDirectory("bench", entries + 1L);
    homeDirectory = new PageDirectory("bench-homes", entries + 1L);
    homes =
        new PageHomes(homeDirectory, 100L * SlotLayout.BYTES, new AppliedMarks(), new LastOrder());
    for (int i = 0; i < entries; i++) {
      directory.findOrCreate(PageId.of(SPACE, i), entry);
      entry.set(owned);
      homes.handle(PageId.of(SPACE, i), new DirectoryEvent.Want(1, Mode.WRITE));
    }
    page = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
    cache = new PageCache(slots * (long) SlotLayout.BYTES, evicted -> {});
    for (int i = 0; i < slots / 2; i++) {
      cache.put(PageId.of(SPACE, i), SlotKind.PAGE, 1, 1, page);
    }
  }

  @TearDown
  public void close() {
    directory.close();
    homeDirectory.close();
    arena.close();
  }

  /** Remembers the number, as the taker has to name it. */
  private final class LastOrder implements PageOrders {
    @Override
    public void order(long pageId, DirectoryAction action, long bytes, ReadFloor floor) {
      if (action instanceof DirectoryAction.Transfer transfer) {
        lastNumber = transfer.number();
      }
    }

    @Override
    public void refuse(long pageId, int slot, SqlState state, String message) {
      throw new IllegalStateException(message);
    }
  }

  /** Looks up an entry and reads which node owns the page. */
  @Benchmark
  public int findEntry() {
    directory.find(PageId.of(SPACE, random.nextInt(entries)), entry);
    return entry.owner();
  }

  /** Looks up an entry and changes it. */
  @Benchmark
  public boolean changeEntry() {
    boolean found = directory.find(PageId.of(SPACE, random.nextInt(entries)), entry);
    entry.set(owned);
    return found;
  }

  /** Creates an entry for an unknown page, and drops it. */
  @Benchmark
  public boolean makeAndDropEntry() {
    long unknown = PageId.of(SPACE + 1, fresh++);
    directory.findOrCreate(unknown, entry);
    return directory.remove(unknown);
  }

  /** A page moves from one compute node to the other: two messages of the protocol. */
  @Benchmark
  public long transferPage() {
    long pageId = PageId.of(SPACE, random.nextInt(entries));
    homeDirectory.find(pageId, entry);
    int taker = 3 - entry.owner();
    homes.handle(pageId, new DirectoryEvent.Want(taker, Mode.WRITE));
    homes.handle(pageId, new DirectoryEvent.Confirm(taker, lastNumber, 0));
    return lastNumber;
  }

  /** A page that is kept. */
  @Benchmark
  public long findCached() {
    return cache.find(PageId.of(SPACE, random.nextInt(slots / 2)));
  }

  /** Puts in pages that are seen once: 8 KB copied, checksum, and the policy. */
  @Benchmark
  public boolean putInto() {
    return cache.put(PageId.of(SPACE + 2, fresh++), SlotKind.PAGE, Lsn.of(1, 1), 1, page);
  }
}
