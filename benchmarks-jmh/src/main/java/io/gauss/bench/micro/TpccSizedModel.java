package io.gauss.bench.micro;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelTemplate;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementReader;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A model and a table of the size that learning from TPC-C yields: 28 templates, 12 columns, so 544
 * inputs, a hidden layer of 64, and {@value #UNITS} outputs for three nodes. The weights are
 * random, which costs the same as trained ones. Not thread-safe.
 */
final class TpccSizedModel {
  static final String SQL =
      "UPDATE district SET d_next_o_id = d_next_o_id + 1, d_ytd = d_ytd + ?"
          + " WHERE d_w_id = ? AND d_id = ?";

  private static final int TEMPLATES = 28;
  private static final int COLUMNS = 12;
  private static final int HIDDEN = 64;
  private static final int UNITS = 64;
  private static final int NODES = 3;
  private static final int BOUNDS = 33;
  private static final int WAREHOUSES = 1000;

  private final Random random = new Random(1);

  byte[] model() {
    StatementTemplate template = StatementReader.read(SQL).template();
    List<ColumnProfile> columns = new ArrayList<>();
    double[] bounds = new double[BOUNDS];
    for (int i = 0; i < BOUNDS; i++) {
      bounds[i] = 1 + (double) i * WAREHOUSES / (BOUNDS - 1);
    }
    for (int i = 0; i < COLUMNS; i++) {
      columns.add(
          new ColumnProfile(
              "c" + i, ColumnProfile.Kind.NUMBER, "", bounds.clone(), WAREHOUSES, false));
    }
    List<ModelTemplate> templates = new ArrayList<>();
    templates.add(new ModelTemplate(template.id(), new int[] {0, 1}));
    for (int i = 1; i < TEMPLATES; i++) {
      templates.add(new ModelTemplate(i, new int[] {i % COLUMNS}));
    }
    List<GroupRange> groups = new ArrayList<>();
    for (int g = 0; g < UNITS; g++) {
      groups.add(new GroupRange(g, g));
    }
    List<NodeShare> nodes = new ArrayList<>();
    for (int n = 0; n < NODES; n++) {
      float[] owned = new float[UNITS];
      for (int g = n; g < UNITS; g += NODES) {
        owned[g] = 1;
      }
      nodes.add(new NodeShare(n + 1, 0.3f, owned));
    }
    int inputs = FeatureEncoder.width(TEMPLATES, COLUMNS);
    return Publication.write(
        new RoutingModel(
            1,
            columns,
            templates,
            List.of(layer(inputs, HIDDEN), layer(HIDDEN, UNITS)),
            groups,
            nodes));
  }

  private Layer layer(int inputs, int outputs) {
    float[] weights = new float[inputs * outputs];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) random.nextGaussian();
    }
    return new Layer(inputs, outputs, weights, new float[outputs]);
  }

  /** One range per template and ten warehouses. */
  byte[] table() {
    double[] bounds = new double[WAREHOUSES / 10];
    short[] nodes = new short[bounds.length + 1];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = 10 * (i + 1);
      nodes[i] = (short) (1 + i % NODES);
    }
    nodes[bounds.length] = 1;
    List<RoutingTable.Entry> entries = new ArrayList<>();
    StatementTemplate template = StatementReader.read(SQL).template();
    entries.add(
        new RoutingTable.Entry(template.id(), 2, 0, ColumnProfile.Kind.NUMBER, "", bounds, nodes));
    return Publication.write(new RoutingTable(1, entries));
  }
}
