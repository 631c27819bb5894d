package io.gauss.jdbc.routing.model;

import java.util.List;
import java.util.Set;

/**
 * A published model: a statement's template and values are encoded as numbers ({@link
 * FeatureEncoder}), a network (ReLU between layers, a sigmoid at the end) computes for each range
 * of page groups how likely the transaction touches it, and the transaction belongs on the node
 * whose pages are most similar to that ({@link NodeScores}). Immutable; checked when it is created.
 *
 * @param version of the publication: increases
 * @param columns whose values are features
 * @param templates known statements
 * @param layers of the network, at least one
 * @param groups ranges of page groups that the network's outputs stand for
 * @param nodes compute nodes and the pages that they own
 * @param keys values that are looked up instead
 * @param byOwner ids of templates of which the owner of the statement's key is the better answer
 * @param byTable ids of templates of which the published table is the better answer
 */
public record RoutingModel(
    long version,
    List<ColumnProfile> columns,
    List<ModelTemplate> templates,
    List<Layer> layers,
    List<GroupRange> groups,
    List<NodeShare> nodes,
    KnownKeys keys,
    Set<Long> byOwner,
    Set<Long> byTable) {
  public RoutingModel {
    byOwner = Set.copyOf(byOwner);
    byTable = Set.copyOf(byTable);
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

  /** A model that is better than the owners of keys, and than the table, for all templates. */
  public RoutingModel(
      long version,
      List<ColumnProfile> columns,
      List<ModelTemplate> templates,
      List<Layer> layers,
      List<GroupRange> groups,
      List<NodeShare> nodes,
      KnownKeys keys) {
    this(version, columns, templates, layers, groups, nodes, keys, Set.of(), Set.of());
  }

  /** A model without values to look up. */
  public RoutingModel(
      long version,
      List<ColumnProfile> columns,
      List<ModelTemplate> templates,
      List<Layer> layers,
      List<GroupRange> groups,
      List<NodeShare> nodes) {
    this(version, columns, templates, layers, groups, nodes, KnownKeys.NONE);
  }

  /** The same model with values to look up. */
  public RoutingModel with(KnownKeys other) {
    return new RoutingModel(
        version, columns, templates, layers, groups, nodes, other, byOwner, byTable);
  }

  /** The same model for other templates by owners of keys. */
  public RoutingModel with(Set<Long> ownersFor) {
    return with(ownersFor, byTable);
  }

  /** The same model for other templates by owners of keys, and others by the table. */
  public RoutingModel with(Set<Long> ownersFor, Set<Long> tableFor) {
    return new RoutingModel(
        version, columns, templates, layers, groups, nodes, keys, ownersFor, tableFor);
  }

  /** The same model under another version. */
  public RoutingModel as(long otherVersion) {
    return new RoutingModel(
        otherVersion, columns, templates, layers, groups, nodes, keys, byOwner, byTable);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what + " does not fit the model");
    }
  }

  /** Number of the network's inputs. */
  public int inputs() {
    return layers.get(0).inputs();
  }

  /** Numbers that come out. */
  public int outputs() {
    return groups.size();
  }
}
