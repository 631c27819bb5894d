package io.gauss.memory.home;

import java.util.function.LongSupplier;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * When requests began to wait at a home because another operation of their page is under way. The
 * home reports the duration when it passes a request on. Belongs to one event loop.
 */
final class RequestTimes {
  private final LongSupplier nanoClock;
  private final Long2ObjectHashMap<long[]> since = new Long2ObjectHashMap<>(); // pairs: slot, time

  RequestTimes(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** A node's request for the page waits from now on, unless it does already. */
  void waits(long page, int slot) {
    long[] before = since.get(page);
    int length = before == null ? 0 : before.length;
    if (length != 0 && find(before, slot) >= 0) {
      return;
    }
    long[] longer = new long[length + 2];
    if (length != 0) {
      System.arraycopy(before, 0, longer, 0, length);
    }
    longer[length] = slot;
    longer[length + 1] = nanoClock.getAsLong();
    since.put(page, longer);
  }

  /** How long a node's request for the page has waited, in nanoseconds; 0 = not at all. */
  long waited(long page, int slot) {
    long[] all = since.get(page);
    int at = all == null ? -1 : find(all, slot);
    return at < 0 ? 0 : nanoClock.getAsLong() - all[at + 1];
  }

  private static int find(long[] all, int slot) {
    for (int i = 0; i < all.length; i += 2) {
      if (all[i] == slot) {
        return i;
      }
    }
    return -1;
  }

  /** The node's request has been passed on. */
  void continues(long page, int slot) {
    long[] before = since.get(page);
    int at = before == null ? -1 : find(before, slot);
    if (at < 0) {
      return;
    }
    if (before.length == 2) {
      since.remove(page);
      return;
    }
    long[] shorter = new long[before.length - 2];
    System.arraycopy(before, 0, shorter, 0, at);
    System.arraycopy(before, at + 2, shorter, at, shorter.length - at);
    since.put(page, shorter);
  }

  /** Nothing waits for the page any more. */
  void forget(long page) {
    since.remove(page);
  }

  /** Number of pages. */
  int size() {
    return since.size();
  }
}
