package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads what a process says, so that it does not wait, and keeps the end of it. Thread-safe. */
final class LastWords {
  private static final int KEPT = 1500;

  private final byte[] ring = new byte[KEPT];
  private long count;
  private final Thread thread;

  LastWords(InputStream from, String threadName) {
    thread = Environment.start(threadName, () -> read(from));
  }

  private void read(InputStream from) {
    byte[] bytes = new byte[512];
    try {
      int read = from.read(bytes);
      while (read >= 0) {
        add(bytes, read);
        read = from.read(bytes);
      }
    } catch (IOException e) {
      // It was killed, and says nothing any more.
    }
  }

  private synchronized void add(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      ring[(int) (count++ % KEPT)] = bytes[i];
    }
  }

  /** Waits until all has been read, or for this long. */
  void awaitEnd(long nanos) {
    Environment.join(thread, nanos);
  }

  /** The end of what was said, in one line. */
  synchronized String text() {
    int kept = (int) Math.min(count, KEPT);
    byte[] bytes = new byte[kept];
    for (int i = 0; i < kept; i++) {
      bytes[i] = ring[(int) ((count - kept + i) % KEPT)];
    }
    return new String(bytes, StandardCharsets.UTF_8)
        .replaceAll("\\R+", " | ")
        .replaceAll("\\p{Cntrl}+", " ")
        .strip();
  }
}
