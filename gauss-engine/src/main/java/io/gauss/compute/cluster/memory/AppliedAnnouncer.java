package io.gauss.compute.cluster.memory;

import io.gauss.compute.log.LogBuffer;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageKind;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.remote.RemoteStorage;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Tells memory nodes what the page stores have applied, so that they need not remember pages that
 * nobody has: of this node's stream, and of sealed ones, whose nodes may never come back. To be run
 * now and then, by one thread at a time.
 *
 * <p>What is told of the own stream is a pair of offset and LSN that was durable at some moment:
 * the LSN is read first, so that all records up to it lie before the offset.
 */
public final class AppliedAnnouncer implements Runnable {
  private final MemoryLinks memory;
  private final RemoteStorage storage;
  private final LogBuffer log;
  private final Supplier<ClusterMap> map;
  private long sampledLsn;
  private long sampledOffset;
  private long appliedLsn;
  private long appliedOffset;

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
    // Again each time: a memory node that has come meanwhile does not know it yet.
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
    memory.toAll(new PageMessage(PageMessageKind.APPLIED, 0, 0, stream, 0, offset, lsn, null));
  }
}
