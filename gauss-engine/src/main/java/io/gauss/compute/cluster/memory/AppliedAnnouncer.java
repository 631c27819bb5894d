package io.gauss.compute.cluster.memory;

import io.gauss.compute.log.LogBuffer;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.remote.RemoteStorage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Informs memory nodes how far the page stores have applied streams, so that they need not remember
 * pages that no node holds: this node's stream, and sealed ones, whose nodes may never come back.
 * To be run periodically, by one thread at a time.
 *
 * <p>For this node's stream the message is a pair of offset and LSN that was durable at some
 * moment: the LSN is read first, so that all records up to it lie before the offset.
 */
public final class AppliedAnnouncer implements Runnable {
  /** What has not changed is told again every so many runs. */
  private static final int REPEATED = 8;

  private final MemoryLinks memory;
  private final RemoteStorage storage;
  private final LogBuffer log;
  private final Supplier<ClusterMap> map;
  private long sampledLsn;
  private long sampledOffset;
  private long appliedLsn;
  private long appliedOffset;
  private final Map<Integer, Long> told = new HashMap<>(); // offsets, by stream
  private int runs;

  public AppliedAnnouncer(
      MemoryLinks memory, RemoteStorage storage, LogBuffer log, Supplier<ClusterMap> map) {
    this.memory = memory;
    this.storage = storage;
    this.log = log;
    this.map = map;
    sample();
  }

  private void sample() {
    sampledLsn = log.durableLsn();
    sampledOffset = log.durableOffset();
  }

  @Override
  public void run() {
    if (storage.appliedOffset() >= sampledOffset) {
      appliedLsn = sampledLsn;
      appliedOffset = sampledOffset;
      sample();
    }
    // Repeated now and then: a memory node that has joined meanwhile does not know it yet.
    if (runs++ % REPEATED == 0) {
      told.clear();
    }
    if (appliedOffset > 0) {
      tell(log.streamId(), appliedOffset, appliedLsn);
    }
    Map<Integer, MapStream> sealed = new TreeMap<>(); // the newest of each slot: epochs rise
    map.get().streams().values().stream()
        .filter(MapStream::sealed)
        .forEach(stream -> sealed.put(stream.slot(), stream));
    sealed.remove(log.streamId());
    for (MapStream stream : sealed.values()) {
      if (storage.appliedOffset(stream.slot()) >= stream.end()) {
        tell(stream.slot(), stream.end(), stream.lastLsn());
      }
    }
  }

  private void tell(int stream, long offset, long lsn) {
    Long before = told.put(stream, offset);
    if (before == null || before != offset) {
      memory.toAll(new ToHome.Applied(stream, offset, lsn));
    }
  }
}
