package io.gauss.jdbc.routing.model;

import java.util.List;

/**
 * A published model: a statement's template and values are made into numbers ({@link
 * FeatureEncoder}), a network (ReLU between layers, a sigmoid at the end) tells for each range of
 * page groups how likely the transaction touches it, and the node whose pages are most like that is
 * where the transaction belongs ({@link NodeScores}). Immutable; checked when it is made.
 *
 * @param version of the publication: increases
 * @param columns whose values are features
 * @param templates known statements
 * @param layers of the network, at least one
 * @param groups what the network's outputs are
 * @param nodes compute nodes and what they own
 * @param keys values that are looked up instead
 */
public record RoutingModel(
    long version,
    List<ColumnProfile> columns,
    List<ModelTemplate> templates,
    List<Layer> layers,
    List<GroupRange> groups,
    List<NodeShare> nodes,
    KnownKeys keys) {
  public RoutingModel {
    columns = List.copyOf(columns);
    templates = List.copyOf(templates);
    layers = List.copyOf(layers);
    groups = List.copyOf(groups);
    nodes = List.copyOf(nodes);
    int width = FeatureEncoder.width(templates.size(), columns.size());
    for (Layer layer : layers) {
      require(layer.inputs() == width, "a layer of " + layer.inputs() + " inputs after " + width);
      width = layer.outputs();
    }
    require(!layers.isEmpty() && width == groups.size(), width + " outputs");
    for (ModelTemplate template : templates) {
      for (int column : template.columns()) {
        require(column >= -1 && column < columns.size(), "column " + column);
      }
    }
    require(keys.fits(templates.size(), nodes.size()), keys.size() + " keys");
    for (NodeShare node : nodes) {
      require(node.node() > 0 && node.owned().length == groups.size(), "node " + node.node());
    }
  }

  /** A model without values that are looked up. */
  public RoutingModel(
      long version,
      List<ColumnProfile> columns,
      List<ModelTemplate> templates,
      List<Layer> layers,
      List<GroupRange> groups,
      List<NodeShare> nodes) {
    this(version, columns, templates, layers, groups, nodes, KnownKeys.NONE);
  }

  /** The same model with values that are looked up. */
  public RoutingModel with(KnownKeys other) {
    return new RoutingModel(version, columns, templates, layers, groups, nodes, other);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what + " does not fit the model");
    }
  }

  /** Numbers that go into the network. */
  public int inputs() {
    return layers.get(0).inputs();
  }

  /** Numbers that come out. */
  public int outputs() {
    return groups.size();
  }
}
