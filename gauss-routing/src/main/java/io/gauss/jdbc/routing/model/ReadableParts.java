package io.gauss.jdbc.routing.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What is left of a publication for those who may see only some columns' values: quantiles,
 * prefixes, ranges and values to look up of all others are gone, and so are the network's weights
 * for them. Templates, units, nodes and the rest of the network stay: a statement that has no
 * readable column is one that neither model nor table knows, and drivers route it by the owner of
 * its key, or so that equal values go to the same node.
 */
public final class ReadableParts {
  private ReadableParts() {}

  /**
   * The model's readable parts.
   *
   * @param readable names of columns
   * @return null when nothing is left
   */
  public static RoutingModel of(
      RoutingModel model, PublicationSources sources, Set<String> readable) {
    int[] places = new int[model.columns().size()]; // of columns in what is left; -1 = gone
    List<ColumnProfile> columns = new ArrayList<>();
    for (int i = 0; i < places.length; i++) {
      ColumnProfile column = model.columns().get(i);
      places[i] = readable.contains(column.column()) ? columns.size() : -1;
      if (places[i] >= 0) {
        columns.add(column);
      }
    }
    if (columns.isEmpty() && model.templates().isEmpty()) {
      return null;
    }
    List<ModelTemplate> templates = new ArrayList<>();
    for (ModelTemplate template : model.templates()) {
      int[] of = template.columns().clone();
      for (int i = 0; i < of.length; i++) {
        of[i] = of[i] < 0 ? -1 : places[of[i]];
      }
      templates.add(new ModelTemplate(template.id(), of));
    }
    List<Layer> layers = new ArrayList<>(model.layers());
    layers.set(0, inputs(model, places, columns.size()));
    return new RoutingModel(
        model.version(),
        columns,
        templates,
        layers,
        model.groups(),
        model.nodes(),
        keys(model.keys(), templates, sources.keys()),
        model.byOwner(),
        model.byTable());
  }

  private static Layer inputs(RoutingModel model, int[] places, int left) {
    Layer layer = model.layers().get(0);
    int templates = model.templates().size();
    int width = FeatureEncoder.width(templates, left);
    float[] weights = new float[width * layer.outputs()];
    for (int u = 0; u < layer.outputs(); u++) {
      int from = u * layer.inputs();
      int into = u * width;
      System.arraycopy(layer.weights(), from, weights, into, templates);
      for (int c = 0; c < places.length; c++) {
        if (places[c] >= 0) {
          System.arraycopy(
              layer.weights(),
              from + templates + c * FeatureEncoder.BLOCK,
              weights,
              into + templates + places[c] * FeatureEncoder.BLOCK,
              FeatureEncoder.BLOCK);
        }
      }
    }
    return new Layer(width, layer.outputs(), weights, layer.bias());
  }

  /** Of templates whose value is of a readable column. */
  private static KnownKeys keys(KnownKeys keys, List<ModelTemplate> templates, byte[] of) {
    if (of.length != keys.size()) {
      return KnownKeys.NONE; // nobody knows which
    }
    byte[] predicates = keys.predicates().clone();
    for (int i = 0; i < predicates.length; i++) {
      int[] columns = templates.get(i).columns();
      boolean isLeft =
          predicates[i] >= 0 && predicates[i] < columns.length && columns[predicates[i]] >= 0;
      predicates[i] = isLeft ? predicates[i] : -1;
    }
    int[] hashes = new int[of.length];
    byte[] nodes = new byte[of.length];
    int left = 0;
    for (int i = 0; i < of.length; i++) {
      if (of[i] >= 0 && of[i] < predicates.length && predicates[of[i]] >= 0) {
        hashes[left] = keys.hashes()[i];
        nodes[left++] = keys.nodes()[i];
      }
    }
    return new KnownKeys(predicates, Arrays.copyOf(hashes, left), Arrays.copyOf(nodes, left));
  }

  /**
   * The table's readable parts.
   *
   * @param readable names of columns
   */
  public static RoutingTable of(
      RoutingTable table, PublicationSources sources, Set<String> readable) {
    List<RoutingTable.Entry> left =
        table.entries().stream()
            .filter(
                entry -> {
                  String column = sources.entries().get(entry.template());
                  return column != null && readable.contains(column);
                })
            .toList();
    return new RoutingTable(table.version(), left, table.byOwner());
  }
}
