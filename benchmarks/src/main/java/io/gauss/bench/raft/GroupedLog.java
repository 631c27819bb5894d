package io.gauss.bench.raft;

import io.gauss.common.id.Lsn;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStream.AppendResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Groups records as the compute node's log does: records that have come since the last append was
 * sent go with the next, which is sent when fewer than a given number of appends are under way.
 */
final class GroupedLog implements Committers.Log {
  private final LogStream stream;
  private final byte[] record;
  private final int inFlight;
  private final int maxBatchBytes;
  private final LongAdder appends = new LongAdder();

  private List<Runnable> gathered = new ArrayList<>();
  private int underWay;
  private long offset;
  private long lsn;

  GroupedLog(LogStream stream, int recordBytes, int inFlight, int maxBatchBytes) {
    this.stream = stream;
    this.record = new byte[recordBytes];
    this.inFlight = inFlight;
    this.maxBatchBytes = maxBatchBytes;
    this.offset = stream.endOffset();
    this.lsn = stream.lastLsn();
  }

  long appends() {
    return appends.sum();
  }

  @Override
  public void commit(Runnable durable) {
    synchronized (this) {
      gathered.add(durable);
    }
    send();
  }

  private synchronized void send() {
    if (underWay >= inFlight || gathered.isEmpty()) {
      return;
    }
    List<Runnable> group = gathered;
    int most = maxBatchBytes / record.length;
    if (group.size() <= most) {
      gathered = new ArrayList<>();
    } else {
      gathered = new ArrayList<>(group.subList(most, group.size()));
      group = new ArrayList<>(group.subList(0, most));
    }
    ByteBuffer bytes = ByteBuffer.allocate(group.size() * record.length);
    while (bytes.hasRemaining()) {
      bytes.put(record);
    }
    long first = lsn + Lsn.STEP;
    lsn += (long) group.size() * Lsn.STEP;
    long begin = offset;
    offset += bytes.capacity();
    underWay++;
    List<Runnable> waiting = group;
    stream.append(1, begin, first, lsn, bytes.flip(), result -> done(waiting, result));
  }

  private void done(List<Runnable> group, AppendResult result) {
    if (!(result instanceof AppendResult.Appended)) {
      throw new IllegalStateException("append: " + result);
    }
    appends.increment();
    synchronized (this) {
      underWay--;
    }
    group.forEach(Runnable::run);
    send();
  }
}
