package io.gauss.bench.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** How many forced writes a second the disk does: the limit of a log that groups nothing. */
final class DiskRate {
  private static final int FILE_BYTES = 16 << 20;

  private DiskRate() {}

  /** Writes of so many bytes, each forced, by so many threads with a file each; all together. */
  static double writesPerSecond(Path directory, int writers, int bytes, int seconds)
      throws IOException, InterruptedException, ExecutionException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Future<Long>> counts = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (int i = 0; i < writers; i++) {
        Path file = directory.resolve("disk-rate-" + i);
        counts.add(threads.submit(() -> write(file, bytes, end)));
      }
    }
    long all = 0;
    for (Future<Long> count : counts) {
      all += count.get();
    }
    return (double) all / seconds;
  }

  private static long write(Path file, int bytes, long end) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(FILE_BYTES), 0);
      channel.force(true);
      long count = 0;
      for (; System.nanoTime() < end; count++) {
        channel.write(ByteBuffer.allocate(bytes), (count * bytes) % FILE_BYTES);
        channel.force(false);
      }
      return count;
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
