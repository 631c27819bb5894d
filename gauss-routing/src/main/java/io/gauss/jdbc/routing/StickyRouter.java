package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps a connection on its node while that node is up. Connections without a node are distributed
 * in turn, so that a pool that opens all of its connections at once does not put them all on one
 * node.
 */
final class StickyRouter implements Router {
  private final AtomicInteger turn = new AtomicInteger();

  @Override
  public Decision route(RouteRequest request) {
    ClusterNode current = request.current();
    if (current != null) {
      ClusterNode now = request.topology().byAddress(current.host(), current.port());
      if (now != null && now.isUsable()) {
        return Decision.on(now, Cause.STICKY, "sticky: stays where it is");
      }
    }
    List<ClusterNode> usable = request.topology().usable();
    return usable.isEmpty()
        ? Decision.anywhere("sticky: no node is known to be up")
        : Decision.on(
            usable.get(Math.floorMod(turn.getAndIncrement(), usable.size())),
            Cause.STICKY,
            "sticky: in turn");
  }

  @Override
  public RouterReport report() {
    return RouterReport.of(RoutingMode.STICKY);
  }

  @Override
  public List<String> explain(RouteRequest request) {
    return List.of("Sticky: a connection stays on its node while that is up");
  }
}
