package io.gauss.jdbc.routing.model;

import io.gauss.jdbc.routing.statement.StatementReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Models for tests. */
public final class RandomModels {
  /** What the models' only template is of: two predicates, on a number and on a text. */
  public static final String SQL = "SELECT v FROM t WHERE id = ? AND name = ?";

  /** An id that the models look up: the third node's. */
  public static final long KNOWN = 4711;

  private RandomModels() {}

  /** A model with random weights. */
  public static RoutingModel any(Random random, long version) {
    List<ColumnProfile> columns =
        List.of(
            new ColumnProfile(
                "t.id",
                ColumnProfile.Kind.NUMBER,
                "",
                new double[] {0, 10, 100, 1000},
                1000,
                true,
                random.nextBoolean() ? 11 : 0),
            new ColumnProfile(
                "t.name",
                ColumnProfile.Kind.TEXT,
                "user",
                new double[] {0, 1L << 40, 1L << 47},
                50,
                false));
    int inputs = FeatureEncoder.width(1, columns.size());
    int hidden = 1 + random.nextInt(64);
    int groups = 1 + random.nextInt(50);
    List<Layer> layers = new ArrayList<>();
    layers.add(layer(random, inputs, hidden));
    if (random.nextBoolean()) {
      layers.add(layer(random, hidden, hidden));
    }
    layers.add(layer(random, hidden, groups));
    List<GroupRange> ranges = new ArrayList<>();
    List<NodeShare> nodes = new ArrayList<>();
    for (int g = 0; g < groups; g++) {
      ranges.add(new GroupRange(g * 10L, g * 10L + 9));
    }
    for (int n = 1; n <= 3; n++) {
      nodes.add(new NodeShare(n, 0.1f, floats(random, groups, true)));
    }
    KnownKeys keys =
        new KnownKeys(new byte[] {0}, new int[] {KnownKeys.hash(0, KNOWN)}, new byte[] {2});
    return new RoutingModel(version, columns, List.of(template()), layers, ranges, nodes, keys);
  }

  /** The template of {@link #SQL} in models that have both of its columns. */
  public static ModelTemplate template() {
    return new ModelTemplate(StatementReader.read(SQL).template().id(), new int[] {0, 1});
  }

  static Layer layer(Random random, int inputs, int outputs) {
    return new Layer(
        inputs, outputs, floats(random, inputs * outputs, false), floats(random, outputs, false));
  }

  private static float[] floats(Random random, int count, boolean shares) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = shares ? random.nextFloat() : (float) random.nextGaussian() * 0.3f;
    }
    return values;
  }
}
