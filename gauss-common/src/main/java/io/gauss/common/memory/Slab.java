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
 * A large zeroed piece of memory that costs nothing until it is touched: gigabytes are available at
 * once, and the process grows as they are used. It is freed when this object is no longer
 * reachable, so every holder of addresses into it must keep a reference.
 *
 * <p>On Linux it is an anonymous mapping with requested huge pages, which avoids most TLB misses;
 * it does not count against the limit of direct memory. Elsewhere it is ordinary off-heap memory.
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

    /** A mapping that is released with the segment, or null when the system refuses it. */
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
      // It fails only for ranges that were never mapped this way.
      Invariant.check(result == 0, "munmap of {} bytes at {}", bytes, mapping.address());
    }

    /** Only a hint: it has no effect where huge pages are off. */
    static void adviseHugePages(long address, long bytes) {
      try {
        int ignored = (int) MADVISE.invokeExact(address, bytes, MADVISE_HUGE_PAGE);
      } catch (Throwable e) {
        throw new IllegalStateException("madvise", e);
      }
    }
  }
}
