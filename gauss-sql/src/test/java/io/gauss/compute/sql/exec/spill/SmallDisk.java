package io.gauss.compute.sql.exec.spill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * A disk with little room for temporary files. A write that does not fit is made as far as it does,
 * as by a real one, and the next one fails.
 */
final class SmallDisk {
  private long room;
  private long written;

  /** So many bytes may be written from now on. */
  void room(long bytes) {
    room = bytes;
  }

  /** Bytes that were written to all files so far. */
  long written() {
    return written;
  }

  TemporaryFiles files(Path directory) {
    return new TemporaryFiles(directory, this::open);
  }

  private FileChannel open(Path file, OpenOption... options) throws IOException {
    return new Channel(FileChannel.open(file, options));
  }

  private final class Channel extends FileChannel {
    private final FileChannel file;

    Channel(FileChannel file) {
      this.file = file;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
      if (room == 0) {
        throw new IOException("No space left on device");
      }
      int end = from.limit();
      from.limit((int) Math.min(end, from.position() + room));
      int count = file.write(from);
      from.limit(end);
      room -= count;
      written += count;
      return count;
    }

    @Override
    public int read(ByteBuffer to, long position) throws IOException {
      return file.read(to, position);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      file.close();
    }

    private static UnsupportedOperationException unused() {
      return new UnsupportedOperationException("not used for temporary files");
    }

    @Override
    public int read(ByteBuffer to) {
      throw unused();
    }

    @Override
    public long read(ByteBuffer[] to, int offset, int length) {
      throw unused();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw unused();
    }

    @Override
    public long position() {
      throw unused();
    }

    @Override
    public FileChannel position(long position) {
      throw unused();
    }

    @Override
    public long size() {
      throw unused();
    }

    @Override
    public FileChannel truncate(long size) {
      throw unused();
    }

    @Override
    public void force(boolean metaData) {
      throw unused();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw unused();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw unused();
    }

    @Override
    public int write(ByteBuffer from, long position) {
      throw unused();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw unused();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw unused();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw unused();
    }
  }
}
