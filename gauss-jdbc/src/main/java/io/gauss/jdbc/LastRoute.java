package io.gauss.jdbc;

import io.gauss.jdbc.cluster.Cluster;
import io.gauss.jdbc.routing.ClusterNode;
import io.gauss.jdbc.routing.Decision;
import io.gauss.jdbc.routing.RouteRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The last decision, with the data to explain it. Only references are kept, so that this adds no
 * cost to a decision; the explanation is made on request. For one thread at a time.
 */
final class LastRoute {
  private static final Object[] NO_PARAMETERS = {};

  private String sql;
  private Object[] parameters;
  private Decision decision;

  void decided(String statement, List<Object> values, Decision made) {
    sql = statement;
    parameters = values.isEmpty() ? NO_PARAMETERS : values.toArray();
    decision = made;
  }

  /** Null before the first. */
  Decision decision() {
    return decision;
  }

  /**
   * An explanation for people.
   *
   * @param now the node of the connection
   * @param pinnedBy its pins to the node; empty for none
   */
  String explain(Cluster cluster, ClusterNode now, String pinnedBy) {
    List<String> lines = new ArrayList<>();
    lines.add("Connection: on " + now + ", routing.mode=" + cluster.options().mode().text());
    if (!pinnedBy.isEmpty()) {
      lines.add("Pinned by: " + pinnedBy);
    }
    if (!cluster.isRouted()) {
      lines.add("Every statement runs there: no other node is known, or none is to be used");
    } else if (decision == null) {
      lines.add("Nothing was routed yet");
    } else {
      lines.add("Last decision: " + text(decision));
      List<Object> values = Collections.unmodifiableList(Arrays.asList(parameters));
      lines.addAll(cluster.explain(new RouteRequest(sql, values, cluster.topology(), now)));
    }
    return String.join("\n", lines);
  }

  private static String text(Decision decision) {
    return switch (decision.kind()) {
      case NODE -> decision.node() + ", " + decision.reason();
      case ANYWHERE -> "any node, " + decision.reason();
      case NOT_YET -> "by the next statement, " + decision.reason();
    };
  }
}
