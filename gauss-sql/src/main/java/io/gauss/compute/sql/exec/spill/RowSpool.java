package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.RowSerializer;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;

/**
 * Rows written once and read several times, in order: in memory, and on disk above the budget. One
 * thread at a time per {@link Reader}. A spool on disk has one position, so its readers should not
 * alternate: each reader records its position, and seeks by reading records again only when another
 * reader has read since.
 */
public final class RowSpool {
  private final RowSerializer serializer;
  private final ByteSink record = new ByteSink();
  private static final int HANDLES_KEPT = 4096; // for the next use

  private final ByteArena arena = new ByteArena();
  private long[] handles = new long[64];
  private int inMemory;
  private SpillFile file;
  private long rows;
  private WorkMemory memory;
  private Reader lastReader;

  public RowSpool(PgType[] types) {
    serializer = new RowSerializer(types);
  }

  public void reset(WorkMemory newMemory) {
    close();
    memory = newMemory;
    arena.clear();
    inMemory = 0;
    rows = 0;
    lastReader = null;
  }

  public long rows() {
    return rows;
  }

  public boolean isOnDisk() {
    return file != null;
  }

  /** Bytes on disk. */
  long spilledBytes() {
    return file == null ? 0 : file.bytes();
  }

  /** Appends a row; when rows are on disk, only before the first reader. */
  public void add(RowBatch batch, int row) {
    record.clear();
    serializer.write(batch, row, record);
    rows++;
    if (file == null && arena.bytes() + record.length > memory.workMemoryBytes() && inMemory > 0) {
      file = new SpillFile(memory);
    }
    if (file != null) {
      file.add(record.array, 0, record.length);
      return;
    }
    if (inMemory == handles.length) {
      handles = java.util.Arrays.copyOf(handles, inMemory * 2);
    }
    handles[inMemory++] = arena.add(record.array, 0, record.length);
  }

  public Reader reader() {
    return new Reader();
  }

  public void close() {
    SpillFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
    arena.release();
    if (handles.length > HANDLES_KEPT) {
      handles = new long[HANDLES_KEPT];
    }
  }

  /** A position in the spool. */
  public final class Reader {
    private final ByteSink buffer = new ByteSink();
    private long position;

    public void rewind() {
      position = 0;
      if (lastReader == this) {
        lastReader = null;
      }
    }

    /** Moves to a row, from 0. */
    void moveTo(long row) {
      if (row != position) {
        position = row;
        if (lastReader == this) {
          lastReader = null;
        }
      }
    }

    /**
     * Appends up to {@code maxRows} rows after the rows of the batch, from a column on, fewer when
     * they are large; returns how many, 0 at the end.
     */
    public int read(RowBatch batch, int maxRows, int firstColumn) {
      int count = 0;
      while (count < maxRows && position < rows && !(count > 0 && batch.isLarge())) {
        if (position < inMemory) {
          long handle = handles[(int) position];
          serializer.read(
              arena.array(handle), ByteArena.offset(handle), batch, batch.size, firstColumn);
        } else {
          seek();
          if (!file.read(buffer)) {
            throw new IllegalStateException("spool ends at " + position + " of " + rows);
          }
          serializer.read(buffer.array, 0, batch, batch.size, firstColumn);
        }
        position++;
        batch.size++;
        count++;
      }
      return count;
    }

    public boolean isAtEnd() {
      return position == rows;
    }

    private void seek() {
      if (lastReader == this) {
        return;
      }
      file.rewind();
      for (long skip = inMemory; skip < position; skip++) {
        file.read(buffer);
      }
      lastReader = this;
    }
  }
}
