package io.gauss.compute.sql.exec;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.row.RowCodec;
import io.gauss.compute.store.VersionedTree;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A table that can be read and written: definition, trees, and its compiled constraint expressions.
 * Immutable, shared by sessions, replaced with the definition.
 */
public final class TableHandle {
  /**
   * Expressions of a table, compiled over its columns in table order.
   *
   * @param checks one for each of {@link TableDef#checks}
   * @param defaults by column, of the column's type, without column references; NULL constants
   *     where there is none
   */
  public record Expressions(Expr[] checks, Expr[] defaults) {}

  private final TableDef def;
  private final VersionedTree rows;
  private final VersionedTree[] indexes;
  private final LongSupplier rowIds;
  private final Supplier<Expressions> compiler;
  private final PgType[] types;
  private final int[] allColumns;
  private final RowCodec rowCodec;
  private final KeyCodec primaryKeyCodec;
  private final KeyCodec[] indexCodecs;
  private final KeyCodec[] columnCodecs;
  private volatile Expressions expressions;

  /** A table all of whose rows have all columns. */
  public TableHandle(
      TableDef def,
      VersionedTree rows,
      VersionedTree[] indexes,
      LongSupplier rowIds,
      Supplier<Expressions> compiler) {
    this(def, rows, indexes, rowIds, null, compiler);
  }

  /**
   * @param indexes trees in the order of {@link TableDef#indexes}
   * @param rowIds issues hidden row ids: ascending, never the same one twice in the table's life
   * @param missing by column, what rows have that were written before the column was added; an
   *     element, or the array, null for NULL
   * @param compiler compiles checks and defaults at first use; may be called twice, by threads that
   *     race
   */
  public TableHandle(
      TableDef def,
      VersionedTree rows,
      VersionedTree[] indexes,
      LongSupplier rowIds,
      Value[] missing,
      Supplier<Expressions> compiler) {
    this.def = def;
    this.rows = rows;
    this.indexes = indexes;
    this.rowIds = rowIds;
    this.compiler = compiler;
    types = new PgType[def.columns().size()];
    allColumns = new int[types.length];
    for (int i = 0; i < types.length; i++) {
      types[i] = def.columns().get(i).type();
      allColumns[i] = i;
    }
    rowCodec = new RowCodec(List.of(types), missing);
    primaryKeyCodec = KeyCodec.primaryKey(keyTypes(def.primaryKey()));
    columnCodecs = new KeyCodec[types.length];
    for (int i = 0; i < types.length; i++) {
      columnCodecs[i] = KeyCodec.index(List.of(types[i]), new boolean[1], new boolean[1]);
    }
    indexCodecs = new KeyCodec[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      TableDef.IndexDef index = def.indexes().get(i);
      indexCodecs[i] =
          KeyCodec.index(keyTypes(index.columns()), index.descending(), index.nullsFirst());
    }
  }

  private List<PgType> keyTypes(int[] columns) {
    List<PgType> keyTypes = new ArrayList<>();
    for (int column : columns) {
      keyTypes.add(types[column]);
    }
    return keyTypes;
  }

  public TableDef def() {
    return def;
  }

  /** The clustered tree. */
  public VersionedTree rows() {
    return rows;
  }

  /** Tree of the index at a position of {@link TableDef#indexes}. */
  public VersionedTree index(int position) {
    return indexes[position];
  }

  /** Position of an index among the table's indexes. */
  public int indexPosition(int indexOid) {
    for (int i = 0; i < def.indexes().size(); i++) {
      if (def.indexes().get(i).oid() == indexOid) {
        return i;
      }
    }
    throw new IllegalStateException("no index " + indexOid + " in table " + def.name());
  }

  /** Types of all columns in table order. The array is shared: do not change it. */
  PgType[] types() {
    return types;
  }

  /** 0, 1, … for all columns. The array is shared: do not change it. */
  int[] allColumns() {
    return allColumns;
  }

  RowCodec rowCodec() {
    return rowCodec;
  }

  KeyCodec primaryKeyCodec() {
    return primaryKeyCodec;
  }

  KeyCodec indexCodec(int position) {
    return indexCodecs[position];
  }

  /** Key codec of a single column, for comparing values. */
  KeyCodec columnCodec(int column) {
    return columnCodecs[column];
  }

  public long nextRowId() {
    return rowIds.getAsLong();
  }

  public Expressions expressions() {
    Expressions result = expressions;
    if (result == null) {
      result = compiler.get();
      expressions = result;
    }
    return result;
  }
}
