package io.gauss.common.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Off-heap memory by absolute address: pages, log buffers and scratch space.
 *
 * <p>One static-final segment spans the whole address space, so that an access is a plain load or
 * store with neither an object per page nor a bounds check that depends on data. The price: a wrong
 * address causes a crash, or worse, instead of an exception. Code that computes an address from
 * bytes of a page must first mask the offset to the page.
 *
 * <p>With {@code -Dgauss.memory.checked=true}, as all tests run, every access is checked: it must
 * lie within one allocation whose arena is open, or within foreign memory that was registered by
 * {@link #foreign} or {@link #addressOf}; anything else is an {@link AssertionError}. Without that
 * flag, compiled code contains no trace of the checks.
 *
 * <p>All multi-byte values are little-endian unless the method says {@code BigEndian}; these
 * compare keys in memcmp order. Accesses need no alignment. Plain accesses have plain Java memory
 * semantics; ordering is up to the caller.
 */
public final class Memory {
  /** Constant, so that the compiler omits the checks. */
  private static final boolean CHECKED = Boolean.getBoolean("gauss.memory.checked");

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT_BE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG_BE =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Memory() {}

  public static byte getByte(long address) {
    check(address, 1);
    return ALL.get(ValueLayout.JAVA_BYTE, address);
  }

  public static int getUnsignedByte(long address) {
    check(address, 1);
    return ALL.get(ValueLayout.JAVA_BYTE, address) & 0xFF;
  }

  public static short getShort(long address) {
    check(address, 2);
    return ALL.get(SHORT, address);
  }

  public static int getUnsignedShort(long address) {
    check(address, 2);
    return ALL.get(SHORT, address) & 0xFFFF;
  }

  public static int getInt(long address) {
    check(address, 4);
    return ALL.get(INT, address);
  }

  public static long getLong(long address) {
    check(address, 8);
    return ALL.get(LONG, address);
  }

  public static int getIntBigEndian(long address) {
    check(address, 4);
    return ALL.get(INT_BE, address);
  }

  public static long getLongBigEndian(long address) {
    check(address, 8);
    return ALL.get(LONG_BE, address);
  }

  public static void putByte(long address, int value) {
    check(address, 1);
    ALL.set(ValueLayout.JAVA_BYTE, address, (byte) value);
  }

  public static void putShort(long address, int value) {
    check(address, 2);
    ALL.set(SHORT, address, (short) value);
  }

  public static void putInt(long address, int value) {
    check(address, 4);
    ALL.set(INT, address, value);
  }

  public static void putLong(long address, long value) {
    check(address, 8);
    ALL.set(LONG, address, value);
  }

  /** Copies between off-heap ranges, which may overlap. */
  public static void copy(long from, long to, long bytes) {
    check(from, bytes);
    check(to, bytes);
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  public static void copyIn(byte[] from, int offset, long to, int bytes) {
    check(to, bytes);
    MemorySegment.copy(from, offset, ALL, ValueLayout.JAVA_BYTE, to, bytes);
  }

  public static void copyOut(long from, byte[] to, int offset, int bytes) {
    check(from, bytes);
    MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, from, to, offset, bytes);
  }

  public static void zero(long address, long bytes) {
    check(address, bytes);
    ALL.asSlice(address, bytes).fill((byte) 0);
  }

  /**
   * A view for I/O and checksums; it allocates, so it must not be used on the path of a statement.
   */
  public static MemorySegment segment(long address, long bytes) {
    check(address, bytes);
    return ALL.asSlice(address, bytes);
  }

  /** A direct buffer over the range, for channels and checksums; it allocates. */
  public static ByteBuffer buffer(long address, int bytes) {
    check(address, bytes);
    return ALL.asSlice(address, bytes).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Memory that lives until the process ends, zeroed. For slabs. */
  public static long allocateForever(long bytes, long alignment) {
    return allocate(Arena.global(), bytes, alignment);
  }

  /** Memory of an arena, zeroed. The arena's owner keeps it open while the address is in use. */
  public static long allocate(Arena arena, long bytes, long alignment) {
    MemorySegment segment = arena.allocate(bytes, alignment);
    allocated(segment);
    return segment.address();
  }

  /** Registers memory that this package allocated in another way, to be accessed by address. */
  static void allocated(MemorySegment segment) {
    if (CHECKED) {
      CheckedMemory.allocated(segment);
    }
  }

  /**
   * Registers foreign memory (network buffers, mapped files) that will be accessed by its address.
   * Its owner is responsible for its lifetime: only its bounds are checked.
   *
   * @return the address
   */
  public static long foreign(long address, long bytes) {
    if (CHECKED) {
      CheckedMemory.foreign(address, bytes);
    }
    return address;
  }

  /**
   * Address of the byte at a direct buffer's position. From there to its limit it may be accessed
   * while the buffer is reachable, which the caller must ensure.
   */
  public static long addressOf(ByteBuffer buffer) {
    MemorySegment segment = MemorySegment.ofBuffer(buffer);
    if (!segment.isNative()) {
      throw new IllegalArgumentException("a buffer on the heap has no address");
    }
    return foreign(segment.address(), segment.byteSize());
  }

  private static void check(long address, long bytes) {
    if (CHECKED) {
      CheckedMemory.check(address, bytes);
    }
  }
}
