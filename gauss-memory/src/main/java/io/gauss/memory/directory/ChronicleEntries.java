package io.gauss.memory.directory;

import io.gauss.common.memory.Memory;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.openhft.chronicle.core.values.LongValue;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.values.Values;

/**
 * Entries by page id in a Chronicle Map off-heap, by address. One segment, since there is one
 * thread: several would gain nothing, and one fills up evenly. Belongs to one thread.
 */
final class ChronicleEntries implements AutoCloseable {
  /**
   * With the first map it warns about a missing JVM option that Java 25 does not have, for a
   * feature that is not used here. The reference is held because an unreferenced logger loses its
   * level.
   */
  private static final Logger NOISE =
      Logger.getLogger(
          "net.openhft.chronicle.core.internal.cleaner.ReflectionBasedByteBufferCleanerService");

  static {
    NOISE.setLevel(Level.SEVERE);
  }

  private final ChronicleMap<LongValue, EntryValue> map;
  private final LongValue key = Values.newHeapInstance(LongValue.class);
  private final EntryValue value = new EntryValue();

  /**
   * @param capacity most entries; the memory for them is reserved, and used when it is touched
   */
  ChronicleEntries(String name, long capacity) {
    map =
        ChronicleMap.of(LongValue.class, EntryValue.class)
            .name(name)
            .actualSegments(1)
            .entries(capacity)
            .putReturnsNull(true)
            .removeReturnsNull(true)
            .create();
  }

  /** Address of the page's entry; 0 when there is none. */
  long find(long page) {
    key.setValue(page);
    return map.getUsing(key, value) == null ? 0 : address();
  }

  /** Address of the page's entry; if there is none, one of zeroes is created. */
  long findOrCreate(long page) {
    key.setValue(page);
    map.acquireUsing(key, value);
    return address();
  }

  private long address() {
    return Memory.foreign(value.address(), DirectoryEntryLayout.BYTES);
  }

  void remove(long page) {
    key.setValue(page);
    map.remove(key);
  }

  /** Bytes reserved off-heap. */
  long bytes() {
    return map.offHeapMemoryUsed();
  }

  @Override
  public void close() {
    map.close();
  }
}
