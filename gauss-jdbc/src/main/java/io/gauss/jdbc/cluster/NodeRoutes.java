package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.Decision.Cause;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/** Transactions that were routed to a node, by the source of the decision. Thread-safe. */
public final class NodeRoutes {
  private final LongAdder[] byCause = new LongAdder[Cause.values().length];

  NodeRoutes() {
    Arrays.setAll(byCause, i -> new LongAdder());
  }

  public void count(Cause cause) {
    byCause[cause.ordinal()].increment();
  }

  public long of(Cause cause) {
    return byCause[cause.ordinal()].sum();
  }
}
