package io.gauss.compute.sql.exec.spill;

/**
 * Spill files by hash: hash joins, aggregates and DISTINCT divide their input into them when it
 * exceeds the work memory. Each level uses other bits, so that a partition can be divided again.
 */
public final class SpillPartitions {
  public static final int FAN_OUT = 16;
  private static final int BITS = 4;

  /**
   * Past this level a partition of any size is read into memory: its keys are most likely all
   * equal.
   */
  public static final int MAX_LEVEL = 6;

  private final WorkMemory memory;
  private final int level;
  public final SpillFile[] files = new SpillFile[FAN_OUT];

  public SpillPartitions(WorkMemory memory, int level) {
    this.memory = memory;
    this.level = level;
  }

  public void add(long hash, byte[] record, int offset, int length) {
    int partition = (int) (hash >>> (Long.SIZE - BITS * (level + 1))) & (FAN_OUT - 1);
    if (files[partition] == null) {
      files[partition] = new SpillFile(memory);
    }
    files[partition].add(record, offset, length);
  }

  public long bytes() {
    long bytes = 0;
    for (SpillFile file : files) {
      bytes += file == null ? 0 : file.bytes();
    }
    return bytes;
  }

  public void close() {
    for (int i = 0; i < FAN_OUT; i++) {
      if (files[i] != null) {
        files[i].close();
        files[i] = null;
      }
    }
  }
}
