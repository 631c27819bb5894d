package io.gauss.storage.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** Adds up the numbers in its commands; the answer is the sum so far. */
public class SumReplica implements GroupReplica {
  private static final String FILE = "sum.snapshot";

  private ReplicaFiles files;
  private LogPosition applied;
  private volatile LogPosition saved;
  private volatile long sum;

  public static byte[] number(long value) {
    return Long.toString(value).getBytes(StandardCharsets.US_ASCII);
  }

  public static long number(ByteBuffer bytes) {
    return Long.parseLong(StandardCharsets.US_ASCII.decode(bytes.duplicate()).toString());
  }

  public long sum() {
    return sum;
  }

  @Override
  public LogPosition load(ReplicaFiles from) throws IOException {
    files = from;
    byte[] found = from.read(FILE);
    if (found != null) {
      ByteBuffer bytes = ByteBuffer.wrap(found);
      saved = new LogPosition(bytes.getLong(), bytes.getLong());
      sum = bytes.getLong();
    }
    return saved;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // entries are applied one after another
  public ByteBuffer apply(LogPosition at, ByteBuffer command) {
    sum += number(command);
    applied = at;
    return ByteBuffer.wrap(number(sum));
  }

  @Override
  public ByteBuffer query(ByteBuffer question) {
    return ByteBuffer.wrap(number(sum));
  }

  @Override
  public LogPosition lastSnapshot() {
    return saved;
  }

  @Override
  public long takeSnapshot(GroupLog log) throws IOException {
    if (applied == null) {
      return -1;
    }
    files.replace(
        FILE,
        ByteBuffer.allocate(3 * Long.BYTES)
            .putLong(applied.term())
            .putLong(applied.index())
            .putLong(sum)
            .array());
    saved = applied;
    return applied.index();
  }

  @Override
  public CompletableFuture<LogPosition> fetch(OptionalInt leader, LogPosition firstAvailable) {
    return firstAvailable.index() <= 0
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(new IllegalStateException("nothing can be fetched"));
  }

  @Override
  public LogPosition takeUpFetched() {
    return null;
  }

  @Override
  public void logFailed(Throwable cause) {
    throw new IllegalStateException(cause);
  }
}
