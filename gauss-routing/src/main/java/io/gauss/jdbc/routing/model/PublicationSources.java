package io.gauss.jdbc.routing.model;

import io.gauss.jdbc.routing.model.PublicationException.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Of which tables the values in a model and a table are, so that they can be left out for those who
 * may not read these tables ({@link ReadableParts}). Stays among compute nodes: drivers do not get
 * it. Immutable.
 *
 * @param tables oids of tables by column, as named in {@link ColumnProfile#column}. Not to be
 *     changed
 * @param entries by template of the table, the column whose values its ranges are
 * @param keys of each of the model's {@link KnownKeys}, in their order, the place of its template
 *     in the model. Not to be changed
 */
public record PublicationSources(
    Map<String, int[]> tables, Map<Long, String> entries, byte[] keys) {
  /** Nothing is known: all values are left out. */
  public static final PublicationSources NONE =
      new PublicationSources(Map.of(), Map.of(), new byte[0]);

  public PublicationSources {
    tables = Map.copyOf(tables);
    entries = Map.copyOf(entries);
  }

  /**
   * The columns of which values may be shown.
   *
   * @param mayRead by the table's oid
   */
  public Set<String> readable(IntPredicate mayRead) {
    Set<String> readable = new HashSet<>();
    tables.forEach(
        (column, of) -> {
          if (of.length > 0 && Arrays.stream(of).allMatch(mayRead)) {
            readable.add(column);
          }
        });
    return readable;
  }

  /** As bytes. */
  public byte[] write() {
    return new PublicationWriter(PublicationLayout.SOURCES, 0)
        .section(
            PublicationLayout.COLUMN_TABLES,
            out -> {
              out.writeInt(tables.size());
              for (Map.Entry<String, int[]> column : new TreeMap<>(tables).entrySet()) {
                PublicationWriter.string(out, column.getKey());
                out.writeInt(column.getValue().length);
                for (int oid : column.getValue()) {
                  out.writeInt(oid);
                }
              }
            })
        .section(
            PublicationLayout.ENTRY_COLUMNS,
            out -> {
              out.writeInt(entries.size());
              for (Map.Entry<Long, String> entry : new TreeMap<>(entries).entrySet()) {
                out.writeLong(entry.getKey());
                PublicationWriter.string(out, entry.getValue());
              }
            })
        .section(
            PublicationLayout.KEY_TEMPLATES,
            out -> {
              out.writeInt(keys.length);
              out.write(keys);
            })
        .finish();
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @param maxBytes larger ones are refused
   */
  public static PublicationSources read(byte[] bytes, int maxBytes) throws PublicationException {
    Map<Integer, ByteBuffer> sections = Sections.read(bytes, PublicationLayout.SOURCES, maxBytes);
    Map<String, int[]> tables = new HashMap<>();
    ByteBuffer in = Sections.section(sections, PublicationLayout.COLUMN_TABLES);
    for (int i = Sections.count(in, 2 + 4); i > 0; i--) {
      String column = Sections.string(in);
      int[] oids = new int[Sections.count(in, Integer.BYTES)];
      in.asIntBuffer().get(oids);
      in.position(in.position() + oids.length * Integer.BYTES);
      Sections.check(tables.put(column, oids) == null, Reason.INVALID, "a column twice");
    }
    Map<Long, String> entries = new HashMap<>();
    in = Sections.section(sections, PublicationLayout.ENTRY_COLUMNS);
    for (int i = Sections.count(in, 8 + 2); i > 0; i--) {
      Sections.need(in, Long.BYTES);
      long template = in.getLong();
      entries.put(template, Sections.string(in));
    }
    in = Sections.section(sections, PublicationLayout.KEY_TEMPLATES);
    byte[] keys = new byte[Sections.count(in, 1)];
    in.get(keys);
    return new PublicationSources(tables, entries, keys);
  }
}
