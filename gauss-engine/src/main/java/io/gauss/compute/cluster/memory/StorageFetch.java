package io.gauss.compute.cluster.memory;

import io.gauss.common.fault.FaultPoints;
import io.gauss.compute.buffer.PageFetch;
import io.gauss.storage.api.PageBatch;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapStream;
import io.gauss.storage.remote.RemoteStorage;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Pages from the storage nodes, at least as new as their home requires.
 *
 * <p>Besides the home's floors (rule 18), a page store must have applied the redo that earlier
 * homes may have forgotten once they were informed that it was applied: every sealed stream to its
 * end, and this node's own to where it ended when this process took it. Both are long behind for
 * any storage node that is not itself recovering. Thread-safe; never blocks.
 */
public final class StorageFetch implements PageFetch {
  private final RemoteStorage storage;
  private final Supplier<ClusterMap> map;
  private volatile Sealed sealed = new Sealed(ClusterMap.EMPTY, Map.of());

  /** Ends of sealed streams by slot, as a version of the map has them. */
  private record Sealed(ClusterMap map, Map<Integer, Long> ends) {}

  /**
   * @param map the newest map that is known
   */
  public StorageFetch(RemoteStorage storage, Supplier<ClusterMap> map) {
    this.storage = storage;
    this.map = map;
  }

  @Override
  public CompletableFuture<Long> read(
      long pageId, long leastLsn, Map<Integer, Long> floors, long destination) {
    FaultPoints.hit("pages.fetch");
    Map<Integer, Long> all = new TreeMap<>(sealedEnds());
    all.merge(storage.stream().streamId(), storage.openedAt(), Math::max);
    floors.forEach((stream, offset) -> all.merge(stream, offset, Math::max));
    PageBatch batch = new PageBatch(1).page(pageId, leastLsn);
    all.forEach(batch::floor);
    return storage.remotePages().readPages(batch, destination).thenApply(lsns -> lsns[0]);
  }

  private Map<Integer, Long> sealedEnds() {
    Sealed known = sealed;
    ClusterMap now = map.get();
    if (known.map() != now) {
      Map<Integer, Long> ends = new TreeMap<>();
      for (MapStream stream : now.streams().values()) {
        if (stream.sealed()) {
          ends.merge(stream.slot(), stream.end(), Math::max);
        }
      }
      known = new Sealed(now, ends);
      sealed = known;
    }
    return known.ends();
  }
}
