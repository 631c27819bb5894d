package io.gauss.storage.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A disk in memory that can lose power, be full, fail to force and corrupt data. Sectors of 512
 * bytes are atomic. Of the sectors written after the last force any subset may survive; of the
 * directory operations after its last force any prefix.
 *
 * <p>After {@link #kill} or {@link #losePower} all handles are dead: files that are opened next
 * contain what survived. Thread-safe.
 */
public final class SimulatedDisk implements Disk {
  public static final int SECTOR_BYTES = 512;

  private static final class Content {
    byte[] now = new byte[0];
    byte[] durable = new byte[0];
    final BitSet dirty = new BitSet();

    void resize(int size) {
      now = Arrays.copyOf(now, size);
    }

    void forced() {
      durable = Arrays.copyOf(durable, now.length);
      for (int s = dirty.nextSetBit(0); s >= 0; s = dirty.nextSetBit(s + 1)) {
        int from = s * SECTOR_BYTES;
        System.arraycopy(now, from, durable, from, Math.min(SECTOR_BYTES, now.length - from));
      }
      dirty.clear();
    }
  }

  private Map<String, Content> files = new LinkedHashMap<>();

  /**
   * The directory after each operation since its last force; the first entry is what was forced.
   */
  private final List<Map<String, Content>> directories = new ArrayList<>();

  private int generation;
  private long capacity = Long.MAX_VALUE;
  private int forcesUntilFailure = -1;
  private boolean writesFail;
  private Runnable beforeForce = () -> {};
  private long forces;

  public SimulatedDisk() {
    directories.add(Map.of());
  }

  /** The process is killed: everything that was written stays, all handles are dead. */
  public synchronized void kill() {
    generation++;
    forcesUntilFailure = -1;
    writesFail = false;
  }

  /** Power fails: everything written after the last force is gone. */
  public void losePower() {
    losePower(new Random(0), 0);
  }

  /**
   * Power fails: each unforced sector survives with the probability.
   *
   * @param surviving 0 to 1
   */
  public synchronized void losePower(Random random, double surviving) {
    kill();
    int kept = surviving == 0 ? 0 : random.nextInt(directories.size());
    files = new LinkedHashMap<>(directories.get(kept));
    directories.clear();
    directories.add(Map.copyOf(files));
    for (Content content : files.values()) {
      int size = content.durable.length;
      if (surviving > 0 && random.nextBoolean()) {
        size = Math.max(size, content.now.length);
      }
      byte[] after = Arrays.copyOf(content.durable, size);
      for (int s = content.dirty.nextSetBit(0); s >= 0; s = content.dirty.nextSetBit(s + 1)) {
        int from = s * SECTOR_BYTES;
        if (from < size && random.nextDouble() < surviving) {
          int bytes = Math.min(SECTOR_BYTES, Math.min(size, content.now.length) - from);
          System.arraycopy(content.now, from, after, from, bytes);
        }
      }
      content.now = after;
      content.durable = after.clone();
      content.dirty.clear();
    }
  }

  /** Sets the maximum size of all files together. */
  public synchronized void setCapacity(long bytes) {
    capacity = bytes;
  }

  public synchronized long usedBytes() {
    return files.values().stream().mapToLong(content -> content.now.length).sum();
  }

  /** Lets that many forces succeed and all others fail, as if the device refused the write-back. */
  public synchronized void failForcesAfter(int count) {
    forcesUntilFailure = count;
  }

  /**
   * Makes all writes fail because the disk is full, even within files, after a part was written.
   */
  public synchronized void setWritesFull(boolean full) {
    writesFail = full;
  }

  /** Sets a hook before each force, called without locks; for tests that delay a force. */
  public synchronized void setBeforeForce(Runnable hook) {
    beforeForce = hook;
  }

  public synchronized long forces() {
    return forces;
  }

  /** Inverts one bit, durably. */
  public synchronized void flipBit(String name, long position, int bit) {
    Content content = files.get(name);
    content.now[(int) position] ^= (byte) (1 << bit);
    if (position < content.durable.length) {
      content.durable[(int) position] ^= (byte) (1 << bit);
    }
  }

  /** A copy of the bytes as they are now. */
  public synchronized byte[] bytes(String name) {
    return files.get(name).now.clone();
  }

  @Override
  public synchronized List<String> list() {
    return new ArrayList<>(files.keySet());
  }

  @Override
  public synchronized DiskFile open(String name) throws IOException {
    Content content = files.get(name);
    if (content == null) {
      throw new FileNotFoundException(path(name));
    }
    return new Handle(name, content, generation);
  }

  @Override
  public synchronized DiskFile create(String name) throws IOException {
    if (files.containsKey(name)) {
      throw new IOException(path(name) + " exists already");
    }
    Content content = new Content();
    files.put(name, content);
    directories.add(new LinkedHashMap<>(files));
    return new Handle(name, content, generation);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    if (files.containsKey(to) || !files.containsKey(from)) {
      throw new IOException("cannot rename " + path(from) + " to " + path(to));
    }
    files.put(to, files.remove(from));
    directories.add(new LinkedHashMap<>(files));
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    if (files.remove(name) == null) {
      throw new FileNotFoundException(path(name));
    }
    directories.add(new LinkedHashMap<>(files));
  }

  @Override
  public synchronized void forceDirectory() throws IOException {
    countForce();
    directories.clear();
    directories.add(new LinkedHashMap<>(files));
  }

  private void countForce() throws IOException {
    if (forcesUntilFailure == 0) {
      throw new IOException("simulated failure of a force");
    }
    if (forcesUntilFailure > 0) {
      forcesUntilFailure--;
    }
    forces++;
  }

  @Override
  public String path(String name) {
    return "simulated/" + name;
  }

  @Override
  public void close() {}

  private final class Handle implements DiskFile {
    private final String name;
    private final Content content;
    private final int opened;
    private boolean closed;

    Handle(String name, Content content, int opened) {
      this.name = name;
      this.content = content;
      this.opened = opened;
    }

    private void check() throws IOException {
      if (closed) {
        throw new IOException(path() + " is closed");
      }
      if (opened != generation) {
        throw new IOException("the process that opened " + path() + " is dead");
      }
    }

    @Override
    public String path() {
      return SimulatedDisk.this.path(name);
    }

    @Override
    public long size() throws IOException {
      synchronized (SimulatedDisk.this) {
        check();
        return content.now.length;
      }
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
      synchronized (SimulatedDisk.this) {
        check();
        int wanted = bytes.remaining();
        long room = capacity - usedBytes();
        int granted = wanted;
        long grow = position + wanted - content.now.length;
        if (grow > room) {
          granted = (int) Math.max(0, wanted - (grow - room));
        }
        if (writesFail) {
          granted = Math.min(granted, wanted / 2);
        }
        if (position + granted > content.now.length) {
          content.resize((int) (position + granted));
        }
        if (granted > 0) {
          bytes.get(content.now, (int) position, granted);
          content.dirty.set(
              (int) (position / SECTOR_BYTES), (int) ((position + granted - 1) / SECTOR_BYTES) + 1);
        }
        if (granted < wanted) {
          throw new DiskFullException(path(), null);
        }
      }
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
      synchronized (SimulatedDisk.this) {
        check();
        int n = Math.clamp(content.now.length - position, 0, bytes.remaining());
        if (n > 0) {
          bytes.put(content.now, (int) position, n);
        }
        return n;
      }
    }

    @Override
    public void force(boolean metadata) throws IOException {
      Runnable hook;
      synchronized (SimulatedDisk.this) {
        hook = beforeForce;
      }
      hook.run();
      synchronized (SimulatedDisk.this) {
        check();
        try {
          countForce();
        } catch (IOException e) {
          // As Linux does: the pages count as clean from now on, although they are not on the
          // device.
          content.dirty.clear();
          throw e;
        }
        content.forced();
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
