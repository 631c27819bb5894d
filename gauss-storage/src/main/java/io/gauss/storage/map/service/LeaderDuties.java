package io.gauss.storage.map.service;

import io.gauss.common.task.Later;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.codec.MapCommandCodec;
import io.gauss.storage.map.codec.MapResultCodec;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.message.MapRequest.ReportUnreachable;
import io.gauss.storage.map.service.ReplicatedLog.Proposed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The duties of the leader of the map's group: ends leases, probes nodes, has the streams of dead
 * nodes sealed, resolves broken links between nodes, moves buckets between memory nodes. It only
 * proposes; whether a proposal is still valid is decided when it is applied. Thread-safe; nothing
 * blocks.
 */
final class LeaderDuties {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderDuties.class);

  private static final long SEAL_AGAIN_MILLIS = 500;
  private static final long PROBE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClusterMapState state;
  private final ReplicatedLog log;
  private final StreamSealer sealer;
  private final Prober prober;
  private final LeaseGranter granter = new LeaseGranter();
  private final LinkReports links = new LinkReports();
  private final BucketBalancer balancer = new BucketBalancer();
  private final Set<Integer> sealing = new HashSet<>();
  private final Map<Integer, Long> probedForSuccessor = new HashMap<>();
  private boolean leading;

  LeaderDuties(ClusterMapState state, ReplicatedLog log, StreamSealer sealer, Prober prober) {
    this.state = state;
    this.log = log;
    this.sealer = sealer;
    this.prober = prober;
  }

  /**
   * Performs the duties that are due.
   *
   * @param usualNanos longest normal time between two calls
   */
  void look(long now, long usualNanos) {
    ClusterMap map = state.map();
    // Proposed without the lock: another thread needs it to apply a command.
    for (MapCommand command : due(map, now, usualNanos)) {
      propose(command);
      if (command instanceof MapCommand.Suspect suspect) {
        probe(map, suspect.node());
      }
    }
    for (Death death : unsealed(map)) {
      seal(death);
    }
  }

  private synchronized List<MapCommand> due(ClusterMap map, long now, long usualNanos) {
    // While no majority answers, no renewal can be committed: nobody may be blamed for that, and
    // an end of a lease that is proposed now is committed before the renewals that wait. The
    // granter extends leases by the time in which it was not asked. If they all began anew, a
    // majority that comes and goes would keep the dead alive.
    if (!log.leadsMajority()) {
      leading &= log.leads();
      links.clear();
      return List.of();
    }
    if (!leading) {
      leading = true;
      links.clear();
      granter.lead(map, now);
      LOG.info("this node leads the cluster map, version {}", map.version());
    }
    List<MapCommand> due = new ArrayList<>(granter.due(map, now, usualNanos));
    links.due(map, now).ifPresent(due::add);
    due.addAll(balancer.due(map, now));
    return due;
  }

  private synchronized List<Death> unsealed(ClusterMap map) {
    return leading
        ? map.deaths().values().stream()
            .filter(death -> !map.isSealed(death) && sealing.add(death.epoch()))
            .toList()
        : List.of();
  }

  synchronized void observe(ClusterMap map, long now) {
    if (leading) {
      granter.observe(map, now);
    }
  }

  synchronized void unreachable(ReportUnreachable report, long now) {
    if (leading) {
      links.report(report, now);
    }
  }

  /**
   * Probes whether the node's process still exists, after its connection broke or it fell silent.
   */
  void probe(ClusterMap map, int id) {
    MapNode node = map.nodes().get(id);
    if (node == null || !node.isLive()) {
      return;
    }
    prober
        .probe(node)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                LOG.debug("node {} cannot be probed", id, failure);
              } else if (found.isProofOfExit()) {
                exited(id, node.incarnation());
              }
            });
  }

  /**
   * The same because another process wants the node's place. It asks several times a second, as
   * long as this process lives, and each probe is a connection with a hello: so there is one a
   * second. If the process ends in between, its own connection breaks, which is probed at once.
   */
  void probeForSuccessor(ClusterMap map, int id, long now) {
    if (isProbeDue(id, now)) {
      probe(map, id);
    }
  }

  private synchronized boolean isProbeDue(int id, long now) {
    Long last = probedForSuccessor.get(id);
    if (last != null && now - last < PROBE_AGAIN_NANOS) {
      return false;
    }
    probedForSuccessor.put(id, now);
    return true;
  }

  /** There is proof that this process has ended. */
  void exited(int id, long incarnation) {
    MapNode node = state.map().nodes().get(id);
    if (node != null && node.isLive() && node.incarnation() == incarnation && log.leads()) {
      propose(new MapCommand.DeclareExited(id, node.epoch(), incarnation));
    }
  }

  private void seal(Death death) {
    sealer
        .seal(death.slot(), death.epoch())
        .whenComplete(
            (end, failure) -> {
              if (failure != null) {
                LOG.warn("stream of epoch {} is not sealed yet", death.epoch(), failure);
                Later.run(
                    SEAL_AGAIN_MILLIS, TimeUnit.MILLISECONDS, () -> notSealing(death.epoch()));
              } else {
                propose(new MapCommand.StreamSealed(death.epoch(), end.endOffset(), end.lastLsn()));
                notSealing(death.epoch());
              }
            });
  }

  private synchronized void notSealing(int epoch) {
    sealing.remove(epoch);
  }

  private void propose(MapCommand command) {
    log.propose(MapCommandCodec.encode(command))
        .thenAccept(
            outcome -> {
              if (outcome instanceof Proposed.Applied applied
                  && MapResultCodec.decode(applied.result()) instanceof MapResult.Done) {
                LOG.atLevel(command instanceof MapCommand.MoveBuckets ? Level.DEBUG : Level.INFO)
                    .log("cluster map: {}", command);
              } else {
                LOG.debug("{} was proposed: {}", command, outcome);
              }
            });
  }

  synchronized SortedMap<Integer, Integer> leaseMillis(long now) {
    SortedMap<Integer, Integer> remaining = new TreeMap<>();
    for (MapNode node : state.map().nodes().values()) {
      if (leading && node.isLive() && node.holdsLease()) {
        remaining.put(node.id(), granter.remainingMillis(node.id(), now));
      }
    }
    return remaining;
  }
}
