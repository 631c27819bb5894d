package io.gauss.storage.local.log;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.disk.Disk;
import io.gauss.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The stream's control file: run, fencing epoch and a lower bound of the durable offset, see {@link
 * LogControlLayout}.
 *
 * <p>Not thread-safe; used at open, and then by the holder of the stream's writing role.
 */
final class LogControl implements AutoCloseable {
  private final DiskFile file;
  private final int stream;
  private final ByteBuffer slot =
      ByteBuffer.allocateDirect(LogControlLayout.SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private long number;
  private int run;
  private int epoch;
  private long durable;
  private boolean clean;

  private LogControl(DiskFile file, int stream) {
    this.file = file;
    this.stream = stream;
  }

  /** Opens the control file, or creates it durably when it does not exist. */
  static LogControl open(Disk disk, int stream) throws IOException {
    boolean exists = disk.list().contains(LogControlLayout.FILE_NAME);
    DiskFile file =
        exists ? disk.open(LogControlLayout.FILE_NAME) : disk.create(LogControlLayout.FILE_NAME);
    LogControl control = new LogControl(file, stream);
    try {
      if (file.size() < LogControlLayout.FILE_BYTES) {
        file.write(ByteBuffer.allocate(LogControlLayout.FILE_BYTES), 0);
        file.force(true);
        disk.forceDirectory();
      }
      control.load();
      return control;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private void load() throws IOException {
    for (int i = 0; i < 2; i++) {
      slot.clear();
      file.read(slot, (long) i * LogControlLayout.SLOT_DISTANCE);
      if (slot.hasRemaining()) {
        continue;
      }
      if (slot.getLong(LogControlLayout.MAGIC) == LogControlLayout.MAGIC_VALUE
          && slot.getInt(LogControlLayout.STREAM) != stream) {
        throw new GaussException(
            SqlState.DATA_CORRUPTED,
            file.path() + " belongs to stream " + slot.getInt(LogControlLayout.STREAM));
      }
      if (LogControlLayout.isValid(slot, 0, stream)
          && slot.getLong(LogControlLayout.NUMBER) > number) {
        number = slot.getLong(LogControlLayout.NUMBER);
        run = slot.getInt(LogControlLayout.RUN);
        epoch = slot.getInt(LogControlLayout.EPOCH);
        durable = slot.getLong(LogControlLayout.DURABLE);
        clean = slot.get(LogControlLayout.CLEAN) == 1;
      }
    }
  }

  /** Whether the stream was ever opened for writing. */
  boolean isFresh() {
    return number == 0;
  }

  int run() {
    return run;
  }

  int epoch() {
    return epoch;
  }

  long durable() {
    return durable;
  }

  boolean isClean() {
    return clean;
  }

  String path() {
    return file.path();
  }

  /** Writes the next slot and forces it; needs no new room on the disk. */
  void store(int newRun, int newEpoch, long newDurable, boolean newClean) throws IOException {
    slot.clear();
    LogControlLayout.encode(slot, 0, stream, number + 1, newRun, newEpoch, newDurable, newClean);
    file.write(slot, ((number + 1) % 2) * LogControlLayout.SLOT_DISTANCE);
    file.force(false);
    number++;
    run = newRun;
    epoch = newEpoch;
    durable = newDurable;
    clean = newClean;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
