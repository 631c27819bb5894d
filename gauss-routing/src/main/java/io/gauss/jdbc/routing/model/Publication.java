package io.gauss.jdbc.routing.model;

import io.gauss.jdbc.routing.model.PublicationException.Reason;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Converts models and tables to bytes ({@link PublicationLayout}) and back. */
public final class Publication {
  private static final int COLUMN_BYTES = 2 + 1 + 1 + 2 + 8 + 4 + 16; // at least;

  private Publication() {}

  /** The bytes of a model. */
  public static byte[] write(RoutingModel model) {
    return new PublicationWriter(PublicationLayout.MODEL, model.version())
        .section(
            PublicationLayout.COLUMNS,
            out -> {
              out.writeInt(model.columns().size());
              for (ColumnProfile column : model.columns()) {
                PublicationWriter.string(out, column.column());
                out.writeByte(column.kind().ordinal());
                out.writeByte(column.phases() && column.period() == 0 ? 1 : 0);
                PublicationWriter.string(out, column.prefix());
                out.writeDouble(column.distinct());
                out.writeInt(column.bounds().length);
                for (double bound : column.bounds()) {
                  out.writeDouble(bound);
                }
              }
            })
        .section(
            PublicationLayout.TEMPLATES,
            out -> {
              out.writeInt(model.templates().size());
              for (ModelTemplate template : model.templates()) {
                out.writeLong(template.id());
                out.writeShort(template.columns().length);
                for (int column : template.columns()) {
                  out.writeShort(column);
                }
              }
            })
        .section(
            PublicationLayout.LAYERS,
            out -> {
              out.writeInt(model.layers().size());
              for (Layer layer : model.layers()) {
                out.writeInt(layer.inputs());
                out.writeInt(layer.outputs());
                PublicationWriter.floats(out, layer.weights());
                PublicationWriter.floats(out, layer.bias());
              }
            })
        .section(
            PublicationLayout.GROUPS,
            out -> {
              out.writeInt(model.groups().size());
              for (GroupRange group : model.groups()) {
                out.writeLong(group.first());
                out.writeLong(group.last());
              }
            })
        .section(
            PublicationLayout.NODES,
            out -> {
              out.writeInt(model.nodes().size());
              for (NodeShare node : model.nodes()) {
                out.writeInt(node.node());
                out.writeFloat(node.loadWeight());
                PublicationWriter.floats(out, node.owned());
              }
            })
        .section(
            PublicationLayout.KEYS,
            out -> {
              out.writeInt(model.keys().predicates().length);
              out.write(model.keys().predicates());
              out.writeInt(model.keys().size());
              for (int hash : model.keys().hashes()) {
                out.writeInt(hash);
              }
              out.write(model.keys().nodes());
            })
        .section(
            PublicationLayout.PERIODS,
            model.columns().stream().anyMatch(column -> column.period() > 0),
            out -> {
              for (ColumnProfile column : model.columns()) {
                out.writeShort(column.period());
              }
            })
        .section(
            PublicationLayout.BY_OWNER,
            !model.byOwner().isEmpty(),
            out -> ids(out, model.byOwner()))
        .section(
            PublicationLayout.BY_TABLE,
            !model.byTable().isEmpty(),
            out -> ids(out, model.byTable()))
        .finish();
  }

  /**
   * Reads a model.
   *
   * @param maxBytes larger ones are refused
   */
  public static RoutingModel readModel(byte[] bytes, int maxBytes) throws PublicationException {
    Map<Integer, ByteBuffer> sections = Sections.read(bytes, PublicationLayout.MODEL, maxBytes);
    List<GroupRange> groups = groups(Sections.section(sections, PublicationLayout.GROUPS));
    try {
      return new RoutingModel(
          Sections.version(bytes),
          columns(
              Sections.section(sections, PublicationLayout.COLUMNS),
              sections.get(PublicationLayout.PERIODS)),
          templates(Sections.section(sections, PublicationLayout.TEMPLATES)),
          layers(Sections.section(sections, PublicationLayout.LAYERS)),
          groups,
          nodes(Sections.section(sections, PublicationLayout.NODES), groups.size()),
          keys(sections.get(PublicationLayout.KEYS)),
          ids(sections.get(PublicationLayout.BY_OWNER)),
          ids(sections.get(PublicationLayout.BY_TABLE)));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new PublicationException(Reason.INVALID, e.getMessage());
    }
  }

  /**
   * @param periods null = there are none
   */
  private static List<ColumnProfile> columns(ByteBuffer in, ByteBuffer periods)
      throws PublicationException {
    List<ColumnProfile> columns = new ArrayList<>();
    for (int i = Sections.count(in, COLUMN_BYTES); i > 0; i--) {
      String name = Sections.string(in);
      Sections.need(in, 2);
      ColumnProfile.Kind kind = kind(in.get());
      boolean phases = in.get() != 0;
      String prefix = Sections.string(in);
      Sections.need(in, 8);
      double distinct = in.getDouble();
      double[] bounds = Sections.doubles(in, Sections.count(in, Double.BYTES));
      int period = 0;
      if (periods != null) {
        Sections.need(periods, Short.BYTES);
        period = periods.getShort() & 0xffff;
      }
      columns.add(
          new ColumnProfile(name, kind, prefix, bounds, distinct, phases || period > 0, period));
    }
    return columns;
  }

  static ColumnProfile.Kind kind(byte ordinal) throws PublicationException {
    Sections.check(ordinal == 0 || ordinal == 1, Reason.INVALID, "a column of kind " + ordinal);
    return ordinal == 0 ? ColumnProfile.Kind.NUMBER : ColumnProfile.Kind.TEXT;
  }

  private static List<ModelTemplate> templates(ByteBuffer in) throws PublicationException {
    List<ModelTemplate> templates = new ArrayList<>();
    for (int i = Sections.count(in, 8 + 2); i > 0; i--) {
      Sections.need(in, 8 + 2);
      long id = in.getLong();
      int size = in.getShort() & 0xffff;
      Sections.need(in, 2L * size);
      int[] columns = new int[size];
      for (int k = 0; k < size; k++) {
        columns[k] = in.getShort();
      }
      templates.add(new ModelTemplate(id, columns));
    }
    return templates;
  }

  private static List<Layer> layers(ByteBuffer in) throws PublicationException {
    List<Layer> layers = new ArrayList<>();
    for (int i = Sections.count(in, 16); i > 0; i--) {
      Sections.need(in, 8);
      int inputs = in.getInt();
      int outputs = in.getInt();
      Sections.check(
          inputs > 0 && outputs > 0 && (long) inputs * outputs <= in.remaining() / Float.BYTES,
          Reason.INVALID,
          "a layer of " + inputs + " x " + outputs);
      float[] weights = Sections.floats(in, (long) inputs * outputs);
      layers.add(new Layer(inputs, outputs, weights, Sections.floats(in, outputs)));
    }
    return layers;
  }

  private static List<GroupRange> groups(ByteBuffer in) throws PublicationException {
    List<GroupRange> groups = new ArrayList<>();
    for (int i = Sections.count(in, 16); i > 0; i--) {
      groups.add(new GroupRange(in.getLong(), in.getLong()));
    }
    return groups;
  }

  private static List<NodeShare> nodes(ByteBuffer in, int groups) throws PublicationException {
    List<NodeShare> nodes = new ArrayList<>();
    for (int i = Sections.count(in, 8); i > 0; i--) {
      Sections.need(in, 8);
      int node = in.getInt();
      float loadWeight = in.getFloat();
      Sections.check(
          loadWeight >= 0 && loadWeight <= 1, Reason.INVALID, "a load's weight of " + loadWeight);
      nodes.add(new NodeShare(node, loadWeight, Sections.floats(in, groups)));
    }
    return nodes;
  }

  private static KnownKeys keys(ByteBuffer in) throws PublicationException {
    if (in == null) {
      return KnownKeys.NONE;
    }
    byte[] predicates = new byte[Sections.count(in, 1)];
    in.get(predicates);
    int size = Sections.count(in, Integer.BYTES + 1);
    int[] hashes = new int[size];
    in.asIntBuffer().get(hashes);
    in.position(in.position() + size * Integer.BYTES);
    byte[] nodes = new byte[size];
    in.get(nodes);
    return new KnownKeys(predicates, hashes, nodes);
  }

  /** In ascending order: the same content has the same bytes. */
  private static void ids(DataOutputStream out, Set<Long> ids) throws IOException {
    out.writeInt(ids.size());
    for (long id : new TreeSet<>(ids)) {
      out.writeLong(id);
    }
  }

  private static Set<Long> ids(ByteBuffer in) throws PublicationException {
    Set<Long> ids = new HashSet<>();
    for (int i = in == null ? 0 : Sections.count(in, Long.BYTES); i > 0; i--) {
      ids.add(in.getLong());
    }
    return ids;
  }

  /** The bytes of a table. */
  public static byte[] write(RoutingTable table) {
    return new PublicationWriter(PublicationLayout.TABLE, table.version())
        .section(
            PublicationLayout.ENTRIES,
            out -> {
              out.writeInt(table.entries().size());
              for (RoutingTable.Entry entry : table.entries()) {
                out.writeLong(entry.template());
                out.writeByte(entry.predicates());
                out.writeByte(entry.predicate());
                out.writeByte(entry.kind().ordinal());
                PublicationWriter.string(out, entry.prefix());
                out.writeInt(entry.nodes().length);
                for (double bound : entry.bounds()) {
                  out.writeDouble(bound);
                }
                for (short node : entry.nodes()) {
                  out.writeShort(node);
                }
              }
            })
        .section(
            PublicationLayout.BY_OWNER,
            !table.byOwner().isEmpty(),
            out -> ids(out, table.byOwner()))
        .finish();
  }

  /**
   * Reads a table.
   *
   * @param maxBytes larger ones are refused
   */
  public static RoutingTable readTable(byte[] bytes, int maxBytes) throws PublicationException {
    Map<Integer, ByteBuffer> sections = Sections.read(bytes, PublicationLayout.TABLE, maxBytes);
    ByteBuffer in = Sections.section(sections, PublicationLayout.ENTRIES);
    List<RoutingTable.Entry> entries = new ArrayList<>();
    for (int i = Sections.count(in, 8 + 3 + 2 + 4 + 2); i > 0; i--) {
      Sections.need(in, 8 + 3);
      long template = in.getLong();
      int predicates = in.get();
      int predicate = in.get();
      ColumnProfile.Kind kind = kind(in.get());
      String prefix = Sections.string(in);
      int ranges = Sections.count(in, Short.BYTES);
      double[] bounds = Sections.doubles(in, Math.max(0, ranges - 1));
      Sections.need(in, (long) ranges * Short.BYTES);
      short[] nodes = new short[ranges];
      in.asShortBuffer().get(nodes);
      in.position(in.position() + ranges * Short.BYTES);
      try {
        entries.add(
            new RoutingTable.Entry(template, predicates, predicate, kind, prefix, bounds, nodes));
      } catch (IllegalArgumentException e) {
        throw new PublicationException(Reason.INVALID, e.getMessage());
      }
    }
    return new RoutingTable(
        Sections.version(bytes), entries, ids(sections.get(PublicationLayout.BY_OWNER)));
  }
}
