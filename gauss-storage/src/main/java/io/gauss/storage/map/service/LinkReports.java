package io.gauss.storage.map.service;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.message.MapRequest.ReportUnreachable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Nodes that cannot reach each other although both renew their leases (rule 6). When a link has
 * been reported broken for a lease's duration, one of its two nodes is evicted: the suspended one,
 * since it does not serve meanwhile; else the one that more nodes report, else the younger one.
 * Time is passed as an argument. Not thread-safe.
 */
final class LinkReports {
  /** Without a new report within this time, a link counts as working again. */
  private static final long FORGET_NANOS = 2_000_000_000L;

  private final Map<Link, Span> spans = new HashMap<>();

  /** A link between two epochs of nodes, the lower node first. */
  private record Link(int node, int epoch, int otherNode, int otherEpoch) {
    static Link of(ReportUnreachable r) {
      return r.reporter() < r.target()
          ? new Link(r.reporter(), r.reporterEpoch(), r.target(), r.targetEpoch())
          : new Link(r.target(), r.targetEpoch(), r.reporter(), r.reporterEpoch());
    }
  }

  private record Span(long first, long last) {}

  void report(ReportUnreachable report, long now) {
    spans.merge(
        Link.of(report),
        new Span(now, now),
        (old, fresh) -> now - old.last() > FORGET_NANOS ? fresh : new Span(old.first(), now));
  }

  /** The node to evict, if any. */
  Optional<MapCommand.Evict> due(ClusterMap map, long now) {
    spans
        .entrySet()
        .removeIf(
            e ->
                now - e.getValue().last() > FORGET_NANOS
                    || !map.isLive(e.getKey().node(), e.getKey().epoch())
                    || !map.isLive(e.getKey().otherNode(), e.getKey().otherEpoch()));
    for (Map.Entry<Link, Span> entry : spans.entrySet()) {
      MapNode one = map.nodes().get(entry.getKey().node());
      MapNode other = map.nodes().get(entry.getKey().otherNode());
      boolean settled = one.evicted() || other.evicted();
      long patience =
          1_000_000L * Math.max(one.lease().durationMillis(), other.lease().durationMillis());
      Span span = entry.getValue();
      if (!settled
          && one.holdsLease()
          && other.holdsLease()
          && span.last() - span.first() >= patience) {
        MapNode goes = goes(map, one, other);
        return Optional.of(new MapCommand.Evict(goes.id(), goes.epoch()));
      }
    }
    return Optional.empty();
  }

  private MapNode goes(ClusterMap map, MapNode one, MapNode other) {
    boolean oneIsSuspended = map.suspension(one.epoch()) != 0;
    if (oneIsSuspended != (map.suspension(other.epoch()) != 0)) {
      return oneIsSuspended ? one : other;
    }
    int difference = complaints(one.id()) - complaints(other.id());
    if (difference != 0) {
      return difference > 0 ? one : other;
    }
    return one.epoch() > other.epoch() ? one : other;
  }

  private int complaints(int node) {
    Set<Integer> others = new HashSet<>();
    for (Link link : spans.keySet()) {
      if (link.node() == node) {
        others.add(link.otherNode());
      } else if (link.otherNode() == node) {
        others.add(link.node());
      }
    }
    return others.size();
  }

  void clear() {
    spans.clear();
  }
}
