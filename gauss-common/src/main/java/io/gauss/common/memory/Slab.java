package io.gauss.common.memory;

import io.gauss.common.invariant.Invariant;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A large zeroed piece of memory that costs nothing until it is touched: gigabytes are there at
 * once, and the process grows as they are used. It is freed when this object is no longer
 * reachable, so whoever holds addresses into it keeps it.
 *
 * <p>On Linux it is an anonymous mapping with huge pages asked for, which saves most misses of the
 * address cache; it does not count against the limit of direct memory. Elsewhere it is ordinary
 * off-heap memory.
 */
public final class Slab {
  private static final long ALIGNMENT = 2L << 20; // a huge page
  private static final int PROTECTION = 0x1 | 0x2; // read, write
  private static final int FLAGS = 0x02 | 0x20 | 0x4000; // private, anonymous, no reserve
  private static final int MADVISE_HUGE_PAGE = 14;

  private final MemorySegment segment;
  private final long address;

  private Slab(MemorySegment segment, long address) {
    this.segment = segment;
    this.address = address;
  }

  public static Slab allocate(long bytes) {
    if (System.getProperty("os.name", "").equals("Linux")) {
      MemorySegment mapped = Linux.map(bytes + ALIGNMENT);
      if (mapped != null) {
        long aligned = (mapped.address() + ALIGNMENT - 1) & -ALIGNMENT;
        Linux.adviseHugePages(aligned, bytes);
        Memory.allocated(mapped.asSlice(aligned - mapped.address(), bytes));
        return new Slab(mapped, aligned);
      }
    }
    MemorySegment segment = Arena.ofAuto().allocate(bytes, 4096);
    Memory.allocated(segment);
    return new Slab(segment, segment.address());
  }

  /** Address of the first byte, aligned to at least 4 KB. */
  public long address() {
    Invariant.check(segment.scope().isAlive(), "the slab was freed");
    return address;
  }

  /** The C library's calls; resolved when first needed. */
  private static final class Linux {
    private static final MethodHandle MMAP;
    private static final MethodHandle MUNMAP;
    private static final MethodHandle MADVISE;

    static {
      Linker linker = Linker.nativeLinker();
      SymbolLookup library = linker.defaultLookup();
      MMAP =
          linker.downcallHandle(
              library.find("mmap").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG));
      MUNMAP =
          linker.downcallHandle(
              library.find("munmap").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
      MADVISE =
          linker.downcallHandle(
              library.find("madvise").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT));
    }

    /** A mapping that goes away with the segment, or null when the system gives none. */
    static MemorySegment map(long bytes) {
      try {
        long at = (long) MMAP.invokeExact(0L, bytes, PROTECTION, FLAGS, -1, 0L);
        if (at == -1) {
          return null;
        }
        return MemorySegment.ofAddress(at)
            .reinterpret(bytes, Arena.ofAuto(), mapping -> unmap(mapping, bytes));
      } catch (Throwable e) {
        throw new IllegalStateException("mmap", e);
      }
    }

    private static void unmap(MemorySegment mapping, long bytes) {
      int result;
      try {
        result = (int) MUNMAP.invokeExact(mapping.address(), bytes);
      } catch (Throwable e) {
        throw new IllegalStateException("munmap", e);
      }
      // It refuses only what was never mapped so.
      Invariant.check(result == 0, "munmap of {} bytes at {}", bytes, mapping.address());
    }

    /** A wish: where huge pages are off, nothing changes. */
    static void adviseHugePages(long address, long bytes) {
      try {
        int ignored = (int) MADVISE.invokeExact(address, bytes, MADVISE_HUGE_PAGE);
      } catch (Throwable e) {
        throw new IllegalStateException("madvise", e);
      }
    }
  }
}
