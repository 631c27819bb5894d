package io.gauss.compute.sql.system;

import io.gauss.compute.routing.PlacementCounts;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.routing.RoutingCounts;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingParts;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.sql.state.SystemState.PlacementRow;
import io.gauss.compute.sql.state.SystemState.RoutingRow;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How transactions reach nodes, and what is learned from them. */
final class RoutingRows {
  private static final double NANOS_PER_MS = 1e6;

  private RoutingRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("gauss.routing", RoutingRows::routing);
    sources.put("gauss.reroutes", RoutingRows::reroutes);
    sources.put("gauss.routing_samples", RoutingRows::samples);
    sources.put("gauss.routing_publications", RoutingRows::publications);
    sources.put("gauss.routing_parts", RoutingRows::parts);
    sources.put("gauss.page_placement", RoutingRows::placement);
  }

  private static void routing(SystemState state, Consumer<Object[]> rows) {
    for (RoutingRow row : state.routing()) {
      RoutingCounts counts = row.counts();
      Double away = ratio(counts.sampledTransfers(), counts.sampledPages());
      rows.accept(
          new Object[] {
            row.node(),
            row.mode().label(),
            counts.transactions(),
            counts.accesses(),
            counts.transfers(),
            ratio(counts.transfers(), counts.transactions()),
            counts.sampled(),
            counts.sampledPages(),
            counts.sampledTransfers(),
            away == null ? null : Math.max(0, 1 - away)
          });
    }
  }

  /** Passed transactions by their destination, and others by the reason why they stayed. */
  private static void reroutes(SystemState state, Consumer<Object[]> rows) {
    SystemState.RerouteRows found = state.reroutes();
    RerouteCounts counts = found.counts();
    for (int to : counts.targets()) {
      rows.accept(
          new Object[] {
            found.node(),
            to,
            null,
            counts.forwarded(to),
            counts.lost(to),
            counts.handOverNanos(to) / NANOS_PER_MS
          });
    }
    for (RerouteCounts.Reason reason : RerouteCounts.Reason.values()) {
      if (counts.stayed(reason) > 0) {
        rows.accept(
            new Object[] {found.node(), null, reason.label(), counts.stayed(reason), null, null});
      }
    }
  }

  /** Null when there is nothing to divide by. */
  private static Double ratio(long part, long whole) {
    return whole == 0 ? null : (double) part / whole;
  }

  private static void samples(SystemState state, Consumer<Object[]> rows) {
    for (AccessSample sample : state.samples()) {
      rows.accept(
          new Object[] {
            sample.node(),
            sample.endedMicros(),
            sample.routing().label(),
            sample.isCommitted(),
            sample.text(),
            sample.values() == null ? null : texts(sample.values()),
            sample.groups(),
            sample.written(),
            sample.pages(),
            sample.transfers(),
            sample.isComplete()
          });
    }
  }

  private static void publications(SystemState state, Consumer<Object[]> rows) {
    PublishedRouting published = state.publishedRouting();
    PublishedRouting readable = state.readableRouting();
    publication(
        rows, "model", published, published.model(), readable == null ? null : readable.model());
    publication(
        rows, "table", published, published.table(), readable == null ? null : readable.table());
  }

  private static void publication(
      Consumer<Object[]> rows,
      String kind,
      PublishedRouting published,
      byte[] content,
      byte[] readable) {
    if (content != null) {
      byte[] shown = readable == null ? content : readable;
      rows.accept(
          new Object[] {
            kind,
            published.version(),
            PublishedRouting.checksum(shown),
            shown.length,
            published.publishedMicros(),
            readable
          });
    }
  }

  private static void parts(SystemState state, Consumer<Object[]> rows) {
    RoutingParts parts = state.routingParts();
    parts
        .away()
        .forEach(
            (part, away) ->
                rows.accept(
                    new Object[] {part, away, (long) parts.samples(), parts.judgedMicros()}));
  }

  private static void placement(SystemState state, Consumer<Object[]> rows) {
    PlacementRow row = state.placement();
    PlacementCounts counts = row.counts();
    rows.accept(
        new Object[] {
          row.node(),
          counts.groups(),
          counts.offered(),
          counts.hot(),
          counts.asked(),
          counts.placed(),
          counts.refused(),
          counts.failed()
        });
  }

  private static String[] texts(List<Object> values) {
    return values.stream()
        .map(value -> value == null ? null : value.toString())
        .toArray(String[]::new);
  }
}
