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
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * How many forced writes per second the disk does, and how long one takes: the limits of a log
 * without group commit.
 *
 * @param perSecond of all writers together
 * @param p50Micros time of one, median
 * @param p99Micros the same, 99th percentile
 */
record DiskRate(double perSecond, double p50Micros, double p99Micros) {
  private static final int FILE_BYTES = 16 << 20;

  /** Measures writes of this many bytes, each forced, by this many threads with a file each. */
  static DiskRate measure(Path directory, int writers, int bytes, int seconds)
      throws IOException, InterruptedException, ExecutionException {
    Histogram nanos = new ConcurrentHistogram(3);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Future<Long>> counts = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (int i = 0; i < writers; i++) {
        Path file = directory.resolve("disk-rate-" + i);
        counts.add(threads.submit(() -> write(file, bytes, end, nanos)));
      }
    }
    long all = 0;
    for (Future<Long> count : counts) {
      all += count.get();
    }
    return new DiskRate(
        (double) all / seconds,
        nanos.getValueAtPercentile(50) / 1000.0,
        nanos.getValueAtPercentile(99) / 1000.0);
  }

  private static long write(Path file, int bytes, long end, Histogram nanos) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(FILE_BYTES), 0);
      channel.force(true);
      long count = 0;
      for (; System.nanoTime() < end; count++) {
        long begun = System.nanoTime();
        channel.write(ByteBuffer.allocate(bytes), (count * bytes) % FILE_BYTES);
        channel.force(false);
        nanos.recordValue(System.nanoTime() - begun);
      }
      return count;
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
