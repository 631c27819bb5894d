package io.gauss.simulation.storage;

import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.id.PageId;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.local.pages.KeyValueStore;
import io.gauss.storage.local.pages.PageKeyLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * What a storage node's disk has of its pages, in RocksDB's place. It outlives the node; each start
 * of the node {@linkplain #open opens} it.
 *
 * <p>Without a write-ahead log, as there: at the end of a process all writes since the last
 * checkpoint are lost, from some moment on that is drawn, as if memtables had been flushed before.
 *
 * <p>Thread-safe. The lock is held for a moment and never across a wait.
 */
final class SimulatedPages {
  private final ReentrantLock lock = new ReentrantLock();
  private final TreeMap<byte[], byte[]> durable = new TreeMap<>(Arrays::compareUnsigned);
  private volatile LogFaults faults;
  private volatile boolean full;
  private volatile Opened opened;

  /**
   * A write that is not durable yet; a value of null deletes.
   *
   * @param below deletes all keys below this one, too; null for none
   */
  private record Write(byte[] key, byte[] value, byte[] below) {
    Write(byte[] key, byte[] value) {
      this(key, value, null);
    }

    void to(TreeMap<byte[], byte[]> map) {
      if (below != null) {
        map.subMap(key, below).clear();
      } else if (value == null) {
        map.remove(key);
      } else {
        map.put(key, value);
      }
    }
  }

  SimulatedPages(LogFaults faults) {
    this.faults = faults;
  }

  /** From now on it is this unkind: reads and checkpoints may be slow. */
  void faults(LogFaults now) {
    faults = now;
  }

  /** Whether writes fail for want of room. */
  void full(boolean now) {
    full = now;
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Opens it for one start of the node. */
  KeyValueStore open() {
    return locked(
        () -> {
          if (opened != null) {
            throw new IllegalStateException("the pages are open already");
          }
          opened = new Opened();
          return opened;
        });
  }

  /** The process that had it open has ended. No effect when it is not open. */
  void end() {
    locked(
        () -> {
          if (opened != null) {
            List<Write> lost = opened.writes;
            int survived = LogFaults.random().nextInt(lost.size() + 1);
            lost.subList(0, survived).forEach(this::flush);
            opened = null;
          }
          return null;
        });
  }

  private void flush(Write write) {
    write.to(durable);
  }

  private final class Opened implements KeyValueStore {
    private final TreeMap<byte[], byte[]> present = new TreeMap<>(Arrays::compareUnsigned);
    private final List<Write> writes = new ArrayList<>();

    Opened() {
      present.putAll(durable);
    }

    private void checkOpen() throws Failure {
      if (opened != this) {
        throw new Failure(SqlState.IO_ERROR, "the pages are closed", null);
      }
    }

    private void mayBeSlow() {
      LogFaults now = faults;
      if (LogFaults.happens(now.slow())) {
        Environment.parkNanos(this, now.late());
      }
    }

    @Override
    public int get(ByteBuffer key, ByteBuffer value) throws Failure {
      mayBeSlow();
      byte[] found = get(bytes(key));
      if (found == null) {
        return NOT_FOUND;
      }
      value.duplicate().put(found, 0, Math.min(found.length, value.remaining()));
      return found.length;
    }

    @Override
    public byte[] get(byte[] key) throws Failure {
      checkOpen();
      return locked(() -> present.get(key));
    }

    @Override
    public void put(ByteBuffer key, ByteBuffer value) throws Failure {
      put(bytes(key), bytes(value));
    }

    @Override
    public void put(byte[] key, byte[] value) throws Failure {
      checkOpen();
      if (full) {
        throw new Failure(SqlState.DISK_FULL, "No space left on device", null);
      }
      write(new Write(key, value));
    }

    @Override
    public void delete(byte[] key) throws Failure {
      checkOpen();
      write(new Write(key, null));
    }

    @Override
    public void deleteRange(byte[] from, byte[] below) throws Failure {
      checkOpen();
      write(new Write(from, null, below));
    }

    @Override
    public void reclaim() {
      // deleted keys take no room
    }

    @Override
    public long reclaimedBytes() {
      return 0;
    }

    private void write(Write write) {
      locked(
          () -> {
            write.to(present);
            return writes.add(write);
          });
    }

    @Override
    public void checkpoint(Map<byte[], byte[]> values) throws Failure {
      mayBeSlow();
      checkOpen();
      if (full) {
        throw new Failure(SqlState.DISK_FULL, "No space left on device", null);
      }
      boolean done =
          locked(
              () -> {
                if (opened != this) {
                  return false;
                }
                present.putAll(values);
                writes.forEach(SimulatedPages.this::flush);
                writes.clear();
                durable.putAll(values);
                return true;
              });
      if (!done) {
        checkOpen();
      }
    }

    @Override
    public Cursor cursor() {
      return snapshot();
    }

    @Override
    public Cursor snapshot() {
      return locked(
          () -> {
            TreeMap<byte[], byte[]> now = new TreeMap<>(Arrays::compareUnsigned);
            now.putAll(present);
            return new MapCursor(now);
          });
    }

    @Override
    public long walk(long from, int pages, LongConsumer seen) {
      try (Cursor cursor = snapshot()) {
        cursor.seek(
            ByteBuffer.allocate(PageKeyLayout.PAGE_KEY_BYTES)
                .put(PageKeyLayout.PAGE)
                .putLong(from)
                .array());
        for (int i = 0; i < pages && isPage(cursor); i++) {
          seen.accept(pageOf(cursor));
          cursor.next();
        }
        return isPage(cursor) ? pageOf(cursor) : PageId.NONE;
      }
    }

    private static boolean isPage(Cursor cursor) {
      return cursor.isValid() && cursor.key()[0] == PageKeyLayout.PAGE;
    }

    private static long pageOf(Cursor cursor) {
      return ByteBuffer.wrap(cursor.key()).order(ByteOrder.BIG_ENDIAN).getLong(1);
    }

    @Override
    public Problem problem() {
      return full ? new Problem("the disk of the pages is full", "simulated") : null;
    }

    @Override
    public boolean isClosed() {
      return opened != this;
    }

    @Override
    public void close() {
      if (opened == this) {
        end();
      }
    }
  }

  private static byte[] bytes(ByteBuffer of) {
    byte[] bytes = new byte[of.remaining()];
    of.get(of.position(), bytes);
    return bytes;
  }

  private static final class MapCursor implements KeyValueStore.Cursor {
    private final TreeMap<byte[], byte[]> all;
    private Map.Entry<byte[], byte[]> at;

    MapCursor(TreeMap<byte[], byte[]> all) {
      this.all = all;
    }

    @Override
    public void seek(byte[] key) {
      at = all.ceilingEntry(key);
    }

    @Override
    public boolean isValid() {
      return at != null;
    }

    @Override
    public void check() {}

    @Override
    public byte[] key() {
      return at.getKey();
    }

    @Override
    public byte[] value() {
      return at.getValue();
    }

    @Override
    public int value(ByteBuffer to) {
      to.duplicate().put(at.getValue(), 0, Math.min(at.getValue().length, to.remaining()));
      return at.getValue().length;
    }

    @Override
    public void next() {
      at = all.higherEntry(at.getKey());
    }

    @Override
    public void close() {}
  }
}
