package io.gauss.compute.pgwire;

import io.gauss.compute.type.ByteSink;

/**
 * Messages that were forwarded, as long as the client's node may have to run them itself: nothing
 * of their answer has gone to the client, and they are short. Belongs to the connection's event
 * loop.
 */
final class KeptBytes {
  /** An array that is longer is not kept for later messages. */
  private static final int KEEP_BYTES = 16 * 1024;

  private final int most;
  private final ByteSink bytes = new ByteSink(0);
  private boolean isKept;

  /**
   * @param most bytes of them; longer ones are not kept
   */
  KeptBytes(int most) {
    this.most = most;
  }

  /** The first of them is about to be forwarded. */
  void begin() {
    bytes.clear();
    isKept = true;
  }

  /** Bytes were forwarded. */
  void sent(byte[] array, int from, int count) {
    if (isKept && bytes.length + count > most) {
      forget();
    }
    if (isKept) {
      bytes.putBytes(array, from, count);
    }
  }

  /** Whether all of them are here. */
  boolean isKept() {
    return isKept;
  }

  /** The client gets an answer to them, or the transaction is over. */
  void forget() {
    isKept = false;
    bytes.clear();
    if (bytes.array.length > KEEP_BYTES) {
      bytes.array = new byte[0];
    }
  }

  /** Puts them before what has come from the client since, and forgets them. */
  void giveBack(InputBuffer in) {
    in.putBefore(bytes.array, bytes.length);
    forget();
  }
}
