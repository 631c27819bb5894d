package io.gauss.compute.catalog;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.EnumLabels.Label;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Catalog objects as rows of the catalog tree.
 *
 * <p>A row is: format version u8 (1 and 2 are read as well), kind u8 (1 table, 2 sequence, 3
 * schema, 4 view, 5 enum type, 6 domain), then the fields in the order in which the methods below
 * write them. Integers are big-endian; a string is its UTF-8 length as i32 (-1 = null) and its
 * bytes; a list is its length as i32 and its elements. {@code referencedBy} is not stored: it is
 * derived from the other tables' foreign keys.
 */
final class CatalogCodec {
  static final int VERSION = 3;

  /** Its indexes have no deferral: no UNIQUE constraint was deferrable. */
  private static final int WITHOUT_DEFERRAL = 1;

  /** Its indexes have neither expressions nor included columns, like those of version 1. */
  private static final int WITHOUT_EXPRESSIONS = 2;

  private static final int TABLE = 1;
  private static final int SEQUENCE = 2;
  private static final int SCHEMA = 3;
  private static final int ROLE = 16;
  private static final int ACCESS = 17;
  private static final int VIEW = 4;
  private static final int ENUM = 5;
  private static final int DOMAIN = 6;
  private static final int COMMENT = 18;

  private CatalogCodec() {}

  static byte[] encode(CatalogObject object) {
    ByteSink out = new ByteSink(256);
    out.putByte(VERSION);
    switch (object) {
      case TableDef table -> {
        out.putByte(TABLE);
        putTable(out, table);
      }
      case SequenceDef sequence -> {
        out.putByte(SEQUENCE);
        putSequence(out, sequence);
      }
      case SchemaDef schema -> {
        out.putByte(SCHEMA);
        out.putInt(schema.oid());
        putString(out, schema.name());
      }
      case RoleDef role -> {
        out.putByte(ROLE);
        AccessCodec.putRole(out, role);
      }
      case AccessDef access -> {
        out.putByte(ACCESS);
        AccessCodec.putAccess(out, access);
      }
      case CommentDef comment -> {
        out.putByte(COMMENT);
        out.putInt(comment.oid());
        out.putInt(comment.comments().size());
        for (CommentDef.Comment one : comment.comments()) {
          out.putInt(one.classOid());
          out.putInt(one.objectOid());
          out.putInt(one.attribute());
          putString(out, one.text());
        }
      }
      case ViewDef view -> {
        out.putByte(VIEW);
        putView(out, view);
      }
      case EnumDef made -> {
        out.putByte(ENUM);
        putEnum(out, made);
      }
      case DomainDef made -> {
        out.putByte(DOMAIN);
        putDomain(out, made.domain());
      }
    }
    return out.toByteArray();
  }

  static CatalogObject decode(byte[] row, int length) {
    Reader in = new Reader(row, length);
    int version = in.readByte();
    if (version < WITHOUT_DEFERRAL || version > VERSION) {
      throw new GaussException(
          SqlState.DATA_CORRUPTED, "catalog row of unknown format version " + version);
    }
    int kind = in.readByte();
    return switch (kind) {
      case TABLE -> readTable(in, version);
      case SEQUENCE -> readSequence(in);
      case SCHEMA -> new SchemaDef(in.readInt(), in.readString());
      case ROLE -> AccessCodec.readRole(in);
      case ACCESS -> AccessCodec.readAccess(in);
      case VIEW -> readView(in);
      case ENUM -> readEnum(in);
      case DOMAIN -> readDomain(in);
      case COMMENT -> readComment(in);
      default ->
          throw new GaussException(SqlState.DATA_CORRUPTED, "catalog row of unknown kind " + kind);
    };
  }

  private static CommentDef readComment(Reader in) {
    int oid = in.readInt();
    List<CommentDef.Comment> comments = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      comments.add(
          new CommentDef.Comment(in.readInt(), in.readInt(), in.readInt(), in.readString()));
    }
    return new CommentDef(oid, List.copyOf(comments));
  }

  // ---------------------------------------------------------------- tables

  private static void putTable(ByteSink out, TableDef table) {
    out.putInt(table.oid());
    putString(out, table.schema());
    putString(out, table.name());
    out.putInt(table.space());
    out.putInt(table.columns().size());
    for (ColumnDef column : table.columns()) {
      out.putInt(column.number());
      putString(out, column.name());
      putType(out, column.type());
      out.putByte(column.notNull() ? 1 : 0);
      putString(out, column.defaultSql());
      out.putInt(column.identity());
      out.putInt(column.sequenceOid());
      putString(out, column.missing());
      putString(out, column.generatedSql());
    }
    putInts(out, table.primaryKey());
    putString(out, table.primaryKeyName());
    out.putInt(table.indexes().size());
    for (IndexDef index : table.indexes()) {
      out.putInt(index.oid());
      putString(out, index.name());
      out.putInt(index.space());
      putInts(out, index.columns());
      out.putInt(index.expressions().size());
      for (KeyExpression expression : index.expressions()) {
        putString(out, expression.name());
        putString(out, expression.sql());
        putType(out, expression.type());
      }
      putInts(out, index.included());
      putBooleans(out, index.descending());
      putBooleans(out, index.nullsFirst());
      out.putByte(index.unique() ? 1 : 0);
      out.putByte(index.constraint() ? 1 : 0);
      out.putByte(index.deferral().ordinal());
      putString(out, index.predicate());
    }
    out.putInt(table.checks().size());
    for (CheckDef check : table.checks()) {
      out.putInt(check.oid());
      putString(out, check.name());
      putString(out, check.sql());
    }
    out.putInt(table.foreignKeys().size());
    for (ForeignKeyDef key : table.foreignKeys()) {
      out.putInt(key.oid());
      putString(out, key.name());
      out.putInt(key.tableOid());
      putInts(out, key.columns());
      out.putInt(key.referencedTableOid());
      putInts(out, key.referencedColumns());
      out.putInt(key.referencedIndexOid());
      out.putInt(key.supportingIndexOid());
      out.putByte(key.onUpdate().ordinal());
      out.putByte(key.onDelete().ordinal());
      out.putByte(key.deferral().ordinal());
    }
    putStatistics(out, table.statistics());
  }

  private static TableDef readTable(Reader in, int version) {
    int oid = in.readInt();
    String schema = in.readString();
    String name = in.readString();
    int space = in.readInt();
    List<ColumnDef> columns = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      columns.add(
          new ColumnDef(
              in.readInt(),
              in.readString(),
              readType(in),
              in.readBoolean(),
              in.readString(),
              (char) in.readInt(),
              in.readInt(),
              in.readString(),
              in.readString()));
    }
    int[] primaryKey = in.readInts();
    String primaryKeyName = in.readString();
    List<IndexDef> indexes = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      indexes.add(
          new IndexDef(
              in.readInt(),
              in.readString(),
              in.readInt(),
              in.readInts(),
              version <= WITHOUT_EXPRESSIONS ? List.of() : readExpressions(in),
              version <= WITHOUT_EXPRESSIONS ? new int[0] : in.readInts(),
              in.readBooleans(),
              in.readBooleans(),
              in.readBoolean(),
              in.readBoolean(),
              version == WITHOUT_DEFERRAL
                  ? Deferral.NOT_DEFERRABLE
                  : Deferral.values()[in.readByte()],
              in.readString()));
    }
    List<CheckDef> checks = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      checks.add(new CheckDef(in.readInt(), in.readString(), in.readString()));
    }
    List<ForeignKeyDef> foreignKeys = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      foreignKeys.add(
          new ForeignKeyDef(
              in.readInt(),
              in.readString(),
              in.readInt(),
              in.readInts(),
              in.readInt(),
              in.readInts(),
              in.readInt(),
              in.readInt(),
              Action.values()[in.readByte()],
              Action.values()[in.readByte()],
              Deferral.values()[in.readByte()]));
    }
    return new TableDef(
        oid,
        schema,
        name,
        space,
        List.copyOf(columns),
        primaryKey,
        primaryKeyName,
        List.copyOf(indexes),
        List.copyOf(checks),
        List.copyOf(foreignKeys),
        List.of(),
        readStatistics(in, version));
  }

  private static List<KeyExpression> readExpressions(Reader in) {
    List<KeyExpression> expressions = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      expressions.add(new KeyExpression(in.readString(), in.readString(), readType(in)));
    }
    return List.copyOf(expressions);
  }

  private static void putType(ByteSink out, PgType type) {
    out.putInt(type.declaredOid());
    out.putInt(type.declaredTypmod());
  }

  /** A type that CREATE TYPE has made is a reference until it is in a snapshot. */
  private static PgType readType(Reader in) {
    int oid = in.readInt();
    int typmod = in.readInt();
    PgType type = PgTypes.byOidOrNull(oid);
    return type == null ? PgType.reference(oid, typmod) : type.withTypmod(typmod);
  }

  private static void putStatistics(ByteSink out, TableStatistics statistics) {
    out.putLong(Double.doubleToRawLongBits(statistics.rows()));
    out.putLong(Double.doubleToRawLongBits(statistics.pages()));
    out.putInt(statistics.columns().length);
    for (ColumnStatistics column : statistics.columns()) {
      out.putByte(column == null ? 0 : 1);
      if (column != null) {
        putStatistics(out, column);
      }
    }
    out.putInt(statistics.expressions().size());
    new TreeMap<>(statistics.expressions())
        .forEach(
            (sql, values) -> {
              putString(out, sql);
              putStatistics(out, values);
            });
  }

  private static void putStatistics(ByteSink out, ColumnStatistics values) {
    out.putLong(Double.doubleToRawLongBits(values.nullFraction()));
    out.putLong(Double.doubleToRawLongBits(values.distinct()));
    out.putLong(Double.doubleToRawLongBits(values.averageWidth()));
    out.putInt(values.histogram().length);
    for (byte[] bound : values.histogram()) {
      out.putInt(bound.length);
      out.putBytes(bound);
    }
  }

  private static TableStatistics readStatistics(Reader in, int version) {
    double rows = in.readDouble();
    double pages = in.readDouble();
    ColumnStatistics[] columns = new ColumnStatistics[in.readInt()];
    for (int i = 0; i < columns.length; i++) {
      if (in.readBoolean()) {
        columns[i] = readColumnStatistics(in);
      }
    }
    Map<String, ColumnStatistics> expressions = new HashMap<>(0);
    for (int i = version <= WITHOUT_EXPRESSIONS ? 0 : in.readInt(); i > 0; i--) {
      expressions.put(in.readString(), readColumnStatistics(in));
    }
    // A table that was never analyzed is recognized by identity.
    TableStatistics none = TableStatistics.UNKNOWN;
    boolean unknown = columns.length == 0 && rows == none.rows() && pages == none.pages();
    return unknown ? none : new TableStatistics(rows, pages, columns, expressions);
  }

  private static ColumnStatistics readColumnStatistics(Reader in) {
    double nullFraction = in.readDouble();
    double distinct = in.readDouble();
    double width = in.readDouble();
    byte[][] histogram = new byte[in.readInt()][];
    for (int b = 0; b < histogram.length; b++) {
      histogram[b] = in.readBytes(in.readInt());
    }
    return new ColumnStatistics(nullFraction, distinct, width, histogram);
  }

  // ---------------------------------------------------------------- sequences

  private static void putSequence(ByteSink out, SequenceDef sequence) {
    out.putInt(sequence.oid());
    putString(out, sequence.schema());
    putString(out, sequence.name());
    out.putLong(sequence.start());
    out.putLong(sequence.increment());
    out.putLong(sequence.minValue());
    out.putLong(sequence.maxValue());
    out.putLong(sequence.cache());
    out.putByte(sequence.cycle() ? 1 : 0);
    out.putInt(sequence.ownerTableOid());
    out.putInt(sequence.ownerColumn());
  }

  private static SequenceDef readSequence(Reader in) {
    return new SequenceDef(
        in.readInt(),
        in.readString(),
        in.readString(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readBoolean(),
        in.readInt(),
        in.readInt());
  }

  // ---------------------------------------------------------------- views

  private static void putView(ByteSink out, ViewDef view) {
    out.putInt(view.oid());
    putString(out, view.schema());
    putString(out, view.name());
    out.putInt(view.columns().size());
    for (ViewDef.Column column : view.columns()) {
      putString(out, column.name());
      putType(out, column.type());
    }
    putString(out, view.sql());
    putStrings(out, view.searchPath());
    out.putInt(view.references().size());
    for (ViewDef.Reference reference : view.references()) {
      out.putInt(reference.position());
      out.putInt(reference.relationOid());
      putString(out, reference.schema());
      putString(out, reference.name());
      out.putByte(reference.aliased() ? 1 : 0);
      putInts(out, reference.numbers());
      putStrings(out, reference.names());
    }
    out.putInt(view.uses().size());
    for (ViewDef.Use use : view.uses()) {
      out.putInt(use.relationOid());
      out.putInt(use.attribute());
    }
  }

  private static ViewDef readView(Reader in) {
    int oid = in.readInt();
    String schema = in.readString();
    String name = in.readString();
    List<ViewDef.Column> columns = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      columns.add(new ViewDef.Column(in.readString(), readType(in)));
    }
    String sql = in.readString();
    List<String> searchPath = in.readStrings();
    List<ViewDef.Reference> references = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      references.add(
          new ViewDef.Reference(
              in.readInt(),
              in.readInt(),
              in.readString(),
              in.readString(),
              in.readBoolean(),
              in.readInts(),
              in.readStrings()));
    }
    List<ViewDef.Use> uses = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      uses.add(new ViewDef.Use(in.readInt(), in.readInt()));
    }
    return new ViewDef(
        oid,
        schema,
        name,
        List.copyOf(columns),
        sql,
        searchPath,
        List.copyOf(references),
        List.copyOf(uses));
  }

  // ---------------------------------------------------------------- types

  private static void putEnum(ByteSink out, EnumDef made) {
    out.putInt(made.oid());
    out.putInt(made.arrayOid());
    putString(out, made.schema());
    putString(out, made.name());
    putString(out, made.arrayName());
    out.putInt(made.labels().size());
    for (Label label : made.labels()) {
      out.putInt(label.oid());
      out.putLong(label.code());
      out.putInt(Float.floatToRawIntBits(label.sortOrder()));
      putString(out, label.name());
    }
  }

  private static EnumDef readEnum(Reader in) {
    int oid = in.readInt();
    int arrayOid = in.readInt();
    String schema = in.readString();
    String name = in.readString();
    String arrayName = in.readString();
    List<Label> labels = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      labels.add(
          new Label(
              in.readInt(), in.readLong(), Float.intBitsToFloat(in.readInt()), in.readString()));
    }
    return new EnumDef(oid, arrayOid, schema, name, arrayName, labels);
  }

  private static void putDomain(ByteSink out, DomainType made) {
    out.putInt(made.oid());
    out.putInt(made.arrayOid());
    putString(out, made.schema());
    putString(out, made.name());
    putString(out, made.arrayName());
    putType(out, made.base());
    out.putByte(made.notNull() ? 1 : 0);
    putString(out, made.defaultSql());
    out.putInt(made.checks().size());
    for (DomainType.Check check : made.checks()) {
      out.putInt(check.oid());
      putString(out, check.name());
      putString(out, check.sql());
      out.putByte(check.valid() ? 1 : 0);
    }
  }

  private static DomainDef readDomain(Reader in) {
    DomainType.Identity identity =
        new DomainType.Identity(
            in.readInt(), in.readInt(), in.readString(), in.readString(), in.readString());
    PgType base = readType(in);
    boolean notNull = in.readBoolean();
    String defaultSql = in.readString();
    List<DomainType.Check> checks = new ArrayList<>();
    for (int i = in.readInt(); i > 0; i--) {
      checks.add(
          new DomainType.Check(in.readInt(), in.readString(), in.readString(), in.readBoolean()));
    }
    return new DomainDef(new DomainType(identity, base, notNull, defaultSql, checks));
  }

  // ---------------------------------------------------------------- elements

  private static void putStrings(ByteSink out, List<String> texts) {
    out.putInt(texts.size());
    texts.forEach(text -> putString(out, text));
  }

  static void putString(ByteSink out, String text) {
    if (text == null) {
      out.putInt(-1);
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.putInt(bytes.length);
    out.putBytes(bytes);
  }

  private static void putInts(ByteSink out, int[] values) {
    out.putInt(values.length);
    for (int value : values) {
      out.putInt(value);
    }
  }

  private static void putBooleans(ByteSink out, boolean[] values) {
    out.putInt(values.length);
    for (boolean value : values) {
      out.putByte(value ? 1 : 0);
    }
  }

  static final class Reader {
    private final byte[] bytes;
    private final int end;
    private int position;

    Reader(byte[] bytes, int end) {
      this.bytes = bytes;
      this.end = end;
    }

    private int take(int count) {
      if (count < 0 || end - position < count) {
        throw new GaussException(SqlState.DATA_CORRUPTED, "catalog row is cut short");
      }
      int at = position;
      position += count;
      return at;
    }

    int readByte() {
      return bytes[take(1)];
    }

    boolean readBoolean() {
      return readByte() != 0;
    }

    int readInt() {
      return ByteSink.getInt(bytes, take(Integer.BYTES));
    }

    long readLong() {
      return ByteSink.getLong(bytes, take(Long.BYTES));
    }

    double readDouble() {
      return Double.longBitsToDouble(readLong());
    }

    byte[] readBytes(int count) {
      int at = take(count);
      return java.util.Arrays.copyOfRange(bytes, at, at + count);
    }

    String readString() {
      int length = readInt();
      return length < 0 ? null : new String(readBytes(length), StandardCharsets.UTF_8);
    }

    List<String> readStrings() {
      List<String> texts = new ArrayList<>();
      for (int i = readInt(); i > 0; i--) {
        texts.add(readString());
      }
      return List.copyOf(texts);
    }

    int[] readInts() {
      int[] values = new int[readInt()];
      for (int i = 0; i < values.length; i++) {
        values[i] = readInt();
      }
      return values;
    }

    boolean[] readBooleans() {
      boolean[] values = new boolean[readInt()];
      for (int i = 0; i < values.length; i++) {
        values[i] = readBoolean();
      }
      return values;
    }
  }
}
