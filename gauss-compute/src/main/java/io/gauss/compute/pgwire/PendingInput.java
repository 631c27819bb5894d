package io.gauss.compute.pgwire;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * Bytes that a client has sent while nothing could be run for it, on their way to the connection's
 * input: the event loop takes them when it runs messages again, or they are handed over to the
 * session's thread when that has asked for more in the middle of a message.
 *
 * <p>Belongs to the event loop, except {@link #awaitedBy}, {@link #isHandedOver} and {@link
 * #takeInto}, which are the virtual thread's.
 */
final class PendingInput {
  private static final int LIMIT_BYTES = 256 * 1024;

  private ArrayDeque<ByteBuf> buffers;
  private int bytes;

  /** The virtual thread has used up its input in the middle of a statement and asked for more. */
  private boolean wanted;

  /** Set by the event loop when null, taken by the virtual thread. */
  private volatile ArrayDeque<ByteBuf> handedOver;

  private volatile Thread reader;

  void add(ByteBuf buffer) {
    if (buffers == null) {
      buffers = new ArrayDeque<>();
    }
    buffers.add(buffer);
    bytes += buffer.readableBytes();
  }

  /** Whether the socket should not be read any more until it has been used up. */
  boolean isTooMuch() {
    return bytes > LIMIT_BYTES;
  }

  boolean isEmpty() {
    return buffers == null || buffers.isEmpty();
  }

  boolean isWanted() {
    return wanted;
  }

  void notWanted() {
    wanted = false;
  }

  private ArrayDeque<ByteBuf> takeAll() {
    ArrayDeque<ByteBuf> all = buffers;
    buffers = null;
    bytes = 0;
    return all;
  }

  /**
   * Passes the received bytes to the virtual thread, or remembers that it waits for them.
   *
   * @return whether there was something to give
   */
  boolean handOver() {
    if (handedOver != null) {
      return false;
    }
    wanted = isEmpty();
    if (wanted) {
      return false;
    }
    handedOver = takeAll();
    LockSupport.unpark(reader);
    return true;
  }

  /** Sets the thread to wake when something has been handed over. */
  void awaitedBy(Thread thread) {
    reader = thread;
  }

  void wakeReader() {
    LockSupport.unpark(reader);
  }

  boolean isHandedOver() {
    return handedOver != null;
  }

  /** Takes the bytes that were handed over; false when there are none. */
  boolean takeInto(InputBuffer in) {
    ArrayDeque<ByteBuf> given = handedOver;
    if (given == null) {
      return false;
    }
    append(given, in);
    handedOver = null;
    return true;
  }

  /** Takes the bytes that were not handed over; false when there are none. */
  boolean drainInto(InputBuffer in) {
    if (isEmpty()) {
      return false;
    }
    append(takeAll(), in);
    return true;
  }

  private static void append(ArrayDeque<ByteBuf> from, InputBuffer in) {
    for (ByteBuf buffer : from) {
      in.append(buffer);
      buffer.release();
    }
  }

  /** Frees the bytes that were not handed over. */
  void release() {
    if (buffers != null) {
      takeAll().forEach(ByteBuf::release);
    }
  }

  /** Frees the bytes that were handed over and not taken; the session's thread has ended. */
  void releaseHandedOver() {
    ArrayDeque<ByteBuf> given = handedOver;
    if (given != null) {
      handedOver = null;
      given.forEach(ByteBuf::release);
    }
  }
}
