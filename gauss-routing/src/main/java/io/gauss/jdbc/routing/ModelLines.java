package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.statement.ReadStatement;
import java.util.List;
import java.util.Locale;

/** A model's decision about a statement and its reasons, for users. */
final class ModelLines {
  private final ModelSnapshot snapshot;
  private final RouterSettings settings;
  private final Topology topology;
  private final List<String> lines;

  ModelLines(
      ModelSnapshot snapshot, RouterSettings settings, Topology topology, List<String> lines) {
    this.snapshot = snapshot;
    this.settings = settings;
    this.topology = topology;
    this.lines = lines;
  }

  /**
   * @param last number of the node to which such statements went last, 0 for none
   * @return the node that the model chooses; null when it does not know
   * @throws IllegalStateException when the engine is closed or fails
   */
  ClusterNode add(ReadStatement read, Object[] values, int last) {
    RoutingModel model = snapshot.model();
    lines.add(
        "Model: version %d, %d templates, %d columns, %d inputs, %d outputs, computed by %s"
            .formatted(
                model.version(),
                model.templates().size(),
                model.columns().size(),
                model.inputs(),
                model.outputs(),
                snapshot.engine().name()));
    int place = snapshot.encoder().place(read.template().id(), values.length);
    if (place < 0) {
      return unknown("the template is not in the model");
    }
    if (!snapshot.encoder().tells(place, values)) {
      return unknown("the model has no column for any of the values");
    }
    if (snapshot.looksUp(place, values)) {
      lines.add("  The value is one that is looked up");
    }
    float[] scores = snapshot.scores(place, read.operators(), values);
    if (scores == null) {
      return unknown(
          "no pages are touched with a probability of " + ModelSnapshot.LEAST_PROBABILITY);
    }
    addNodes(scores, last);
    ClusterNode chosen =
        NodeChoice.choose(
            model.nodes(), scores, topology, last, settings.confidence(), settings.hysteresis());
    return chosen == null ? unknown(whyNone(model)) : chosen;
  }

  private String whyNone(RoutingModel model) {
    boolean isAny =
        model.nodes().stream()
            .map(share -> topology.byNumber(share.node()))
            .anyMatch(node -> node != null && node.isUsable());
    return isAny
        ? number(
            "the best score exceeds the mean of the others by less than %.3f"
                + " (routing.confidence)",
            settings.confidence())
        : "none of the model's nodes takes transactions";
  }

  private void addNodes(float[] scores, int last) {
    for (int n = 0; n < scores.length; n++) {
      NodeShare share = snapshot.model().nodes().get(n);
      ClusterNode node = topology.byNumber(share.node());
      String line = number("  Node " + share.node() + ": score %.3f", scores[n]);
      if (node == null || !node.isUsable()) {
        lines.add(line + (node == null ? ", not there" : ", takes no transactions"));
        continue;
      }
      line +=
          Double.isNaN(node.load())
              ? ", load not known"
              : number(", load %.2f", node.load()) + number(" x %.2f", share.loadWeight());
      line += node.number() == last ? number(", here before +%.2f", settings.hysteresis()) : "";
      lines.add(
          line
              + number(
                  ", value %.3f",
                  NodeChoice.value(share, scores[n], node, last, settings.hysteresis())));
    }
  }

  private ClusterNode unknown(String why) {
    lines.add("  Does not know: " + why);
    return null;
  }

  private static String number(String format, double number) {
    return String.format(Locale.ROOT, format, number);
  }
}
