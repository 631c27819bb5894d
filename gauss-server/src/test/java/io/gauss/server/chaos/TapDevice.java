package io.gauss.server.chaos;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * A network device whose other end is this process: what the system sends by it is read here, what
 * is written here the system receives. It may be moved to another network namespace, and is gone
 * with this process. One thread may read and another one write.
 */
final class TapDevice {
  /** Ethernet frames, without anything before them. */
  private static final short TAP_WITHOUT_HEADER = 0x0002 | 0x1000;

  private static final long SET_INTERFACE = 0x400454caL;
  private static final int READ_AND_WRITE = 2;
  private static final int REQUEST_BYTES = 40;
  private static final int NAME_BYTES = 16;
  private static final int FRAME_BYTES = 65_536;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option KEEPS_ERRNO = Linker.Option.captureCallState("errno");
  private static final MethodHandle OPEN =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("open"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.firstVariadicArg(2),
          KEEPS_ERRNO);
  private static final MethodHandle IOCTL =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("ioctl"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS),
          Linker.Option.firstVariadicArg(2),
          KEEPS_ERRNO);
  private static final MethodHandle READ = transfer("read");
  private static final MethodHandle WRITE = transfer("write");

  private final int descriptor;
  private final Buffer in = new Buffer();
  private final Buffer out = new Buffer();

  /** Memory of one direction. */
  private static final class Buffer {
    private final MemorySegment state = Arena.global().allocate(STATE);
    private final MemorySegment bytes = Arena.global().allocate(FRAME_BYTES);
  }

  private TapDevice(int descriptor) {
    this.descriptor = descriptor;
  }

  private static MethodHandle transfer(String name) {
    return LINKER.downcallHandle(
        LINKER.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(
            ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG),
        KEEPS_ERRNO);
  }

  /**
   * Makes one in the network namespace of this process.
   *
   * @throws IOException when the system does not allow it
   */
  static TapDevice open(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int descriptor =
          (int) OPEN.invokeExact(state, arena.allocateFrom("/dev/net/tun"), READ_AND_WRITE);
      check("open /dev/net/tun", descriptor, state);
      MemorySegment request = arena.allocate(REQUEST_BYTES);
      request.setString(0, name, StandardCharsets.US_ASCII);
      request.set(ValueLayout.JAVA_SHORT, NAME_BYTES, TAP_WITHOUT_HEADER);
      int made = (int) IOCTL.invokeExact(state, descriptor, SET_INTERFACE, request);
      check("make network device " + name, made, state);
      return new TapDevice(descriptor);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void check(String what, long result, MemorySegment state) throws IOException {
    if (result < 0) {
      throw new IOException("cannot " + what + ": errno " + (int) ERRNO.get(state, 0L));
    }
  }

  /**
   * The next frame that the system sends; waits for it.
   *
   * @throws IOException when the device is gone, with its namespace
   */
  byte[] read() throws IOException {
    try {
      long length = (long) READ.invokeExact(in.state, descriptor, in.bytes, (long) FRAME_BYTES);
      check("read", length, in.state);
      return in.bytes.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Lets the system receive a frame.
   *
   * @throws IOException when it does not: the device is down, or gone
   */
  void write(byte[] frame) throws IOException {
    MemorySegment.copy(frame, 0, out.bytes, ValueLayout.JAVA_BYTE, 0, frame.length);
    try {
      long length = (long) WRITE.invokeExact(out.state, descriptor, out.bytes, (long) frame.length);
      check("write", length, out.state);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
