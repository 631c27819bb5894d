package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Chooses a random node for each transaction: the baseline for other routers. */
final class RandomRouter implements Router {
  @Override
  public Decision route(RouteRequest request) {
    List<ClusterNode> usable = request.topology().usable();
    return usable.isEmpty()
        ? Decision.anywhere("random: no node is known to be up")
        : Decision.on(
            usable.get(ThreadLocalRandom.current().nextInt(usable.size())), Cause.RANDOM, "random");
  }

  @Override
  public RouterReport report() {
    return RouterReport.of(RoutingMode.RANDOM);
  }

  @Override
  public List<String> explain(RouteRequest request) {
    return List.of("Random: each transaction on any node that is up");
  }
}
