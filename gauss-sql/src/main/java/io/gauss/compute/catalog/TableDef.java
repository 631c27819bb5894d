package io.gauss.compute.catalog;

import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A table as planner and executor see it: immutable, replaced as a whole by DDL. Columns are
 * addressed by position in {@link #columns}.
 *
 * @param oid object id
 * @param space space of the clustered tree
 * @param primaryKey column positions of the clustering key; empty: clustered on a hidden 8-byte row
 *     id
 * @param primaryKeyName constraint name, null without a primary key
 * @param indexes secondary indexes (the primary key is not among them)
 * @param foreignKeys constraints of this table
 * @param referencedBy foreign keys of other tables (or this one) that point here
 * @param statistics newest statistics, never null
 */
public record TableDef(
    int oid,
    String schema,
    String name,
    int space,
    List<ColumnDef> columns,
    int[] primaryKey,
    String primaryKeyName,
    List<IndexDef> indexes,
    List<CheckDef> checks,
    List<ForeignKeyDef> foreignKeys,
    List<ForeignKeyDef> referencedBy,
    TableStatistics statistics)
    implements CatalogObject {

  /** Position of a column, -1 when there is none. */
  public int columnIndex(String columnName) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(columnName)) {
        return i;
      }
    }
    return -1;
  }

  /** Type of the values at a place of an index's key. */
  public PgType keyType(IndexDef index, int place) {
    KeyExpression expression = index.expression(place);
    return expression == null ? columns.get(index.columns()[place]).type() : expression.type();
  }

  /** Name of one of the table's indexes, including that of the primary key. */
  public String indexName(int indexOid) {
    for (IndexDef index : indexes) {
      if (index.oid() == indexOid) {
        return index.name();
      }
    }
    return primaryKeyName;
  }

  public boolean hasRowId() {
    return primaryKey.length == 0;
  }

  /** The table's own tree as the index of its primary key, which must have one. */
  public IndexDef primaryKeyIndex() {
    int indexOid = SystemOids.primaryKeyIndex(oid);
    return IndexDef.ascending(indexOid, primaryKeyName, space, primaryKey, true, true);
  }

  /** All indexes as clients see them: that of the primary key, if there is one, comes first. */
  public List<IndexDef> shownIndexes() {
    if (hasRowId()) {
      return indexes;
    }
    List<IndexDef> all = new ArrayList<>();
    all.add(primaryKeyIndex());
    all.addAll(indexes);
    return all;
  }

  /** The table with the current versions of its columns' and expressions' types. */
  TableDef withTypes(Map<Integer, PgType> types) {
    if (types.isEmpty()
        || (columns.stream().noneMatch(column -> types.containsKey(column.type().declaredOid()))
            && indexes.stream()
                .flatMap(index -> index.expressions().stream())
                .noneMatch(expression -> types.containsKey(expression.type().declaredOid())))) {
      return this;
    }
    List<ColumnDef> current = new ArrayList<>();
    for (ColumnDef column : columns) {
      current.add(column.withType(current(column.type(), types)));
    }
    List<IndexDef> currentIndexes = new ArrayList<>();
    for (IndexDef index : indexes) {
      currentIndexes.add(
          index.withTypes(
              index.expressions().stream().map(e -> current(e.type(), types)).toList()));
    }
    return new TableDef(
        oid,
        schema,
        name,
        space,
        List.copyOf(current),
        primaryKey,
        primaryKeyName,
        List.copyOf(currentIndexes),
        checks,
        foreignKeys,
        referencedBy,
        statistics);
  }

  private static PgType current(PgType type, Map<Integer, PgType> types) {
    return types.getOrDefault(type.declaredOid(), type);
  }

  TableDef withReferencedBy(List<ForeignKeyDef> incoming) {
    return new TableDef(
        oid,
        schema,
        name,
        space,
        columns,
        primaryKey,
        primaryKeyName,
        indexes,
        checks,
        foreignKeys,
        incoming,
        statistics);
  }

  /**
   * The table with other statistics.
   *
   * @param numbers attnums that the elements of {@code newStatistics.columns()} are about: columns
   *     may have been added and dropped since they were collected
   */
  TableDef withStatistics(TableStatistics newStatistics, int[] numbers) {
    TableStatistics.ColumnStatistics[] byPosition =
        new TableStatistics.ColumnStatistics[columns.size()];
    for (int i = 0; i < byPosition.length; i++) {
      for (int k = 0; k < numbers.length; k++) {
        if (numbers[k] == columns.get(i).number()) {
          byPosition[i] = newStatistics.columns()[k];
        }
      }
    }
    return new TableDef(
        oid,
        schema,
        name,
        space,
        columns,
        primaryKey,
        primaryKeyName,
        indexes,
        checks,
        foreignKeys,
        referencedBy,
        new TableStatistics(
            newStatistics.rows(), newStatistics.pages(), byPosition, newStatistics.expressions()));
  }

  /**
   * @param number attnum, from 1, ascending; that of the last column may be reused when it was
   *     dropped
   * @param defaultSql text of the default expression, null when there is none
   * @param identity 'a' always, 'd' by default, 0 none
   * @param sequenceOid owned sequence of serial and identity columns, 0 none
   * @param missing text form of the value that rows written before the column was added have; null
   *     = NULL
   * @param generatedSql text of GENERATED ALWAYS AS (...) STORED, null for other columns
   */
  public record ColumnDef(
      int number,
      String name,
      PgType type,
      boolean notNull,
      String defaultSql,
      char identity,
      int sequenceOid,
      String missing,
      String generatedSql) {

    /** A column without a default. */
    public static ColumnDef of(int number, String name, PgType type, boolean notNull) {
      return new ColumnDef(number, name, type, notNull, null, (char) 0, 0, null, null);
    }

    public boolean isGenerated() {
      return generatedSql != null;
    }

    public ColumnDef withName(String newName) {
      return with(newName, type, notNull, defaultSql, sequenceOid, missing, generatedSql);
    }

    public ColumnDef withType(PgType newType) {
      return with(name, newType, notNull, defaultSql, sequenceOid, missing, generatedSql);
    }

    public ColumnDef withNotNull(boolean newNotNull) {
      return with(name, type, newNotNull, defaultSql, sequenceOid, missing, generatedSql);
    }

    /** The column with its own default, null for none, in place of a sequence's. */
    public ColumnDef withDefault(String newDefault) {
      return with(name, type, notNull, newDefault, 0, missing, generatedSql);
    }

    /** The column with values of a sequence as its default. */
    public ColumnDef withSequence(String text, int newSequenceOid) {
      return with(name, type, notNull, text, newSequenceOid, missing, generatedSql);
    }

    /** The column with the default of its sequence written differently. */
    public ColumnDef withDefaultText(String text) {
      return with(name, type, notNull, text, sequenceOid, missing, generatedSql);
    }

    public ColumnDef withMissing(String newMissing) {
      return with(name, type, notNull, defaultSql, sequenceOid, newMissing, generatedSql);
    }

    /** The column generated by another expression; null = an ordinary column. */
    public ColumnDef withGenerated(String newGeneratedSql) {
      return with(name, type, notNull, defaultSql, sequenceOid, missing, newGeneratedSql);
    }

    private ColumnDef with(
        String newName,
        PgType newType,
        boolean newNotNull,
        String newDefault,
        int newSequenceOid,
        String newMissing,
        String newGeneratedSql) {
      return new ColumnDef(
          number,
          newName,
          newType,
          newNotNull,
          newDefault,
          identity,
          newSequenceOid,
          newMissing,
          newGeneratedSql);
    }
  }

  /**
   * @param columns of the key, by position; -1 - i stands for {@code expressions.get(i)}
   * @param expressions of the key, in its order
   * @param included columns of INCLUDE, by position: they are no part of the key, and its entries
   *     do not have them, since the row is read in any case
   * @param unique whether its tree can have an entry only once; not that of a deferrable
   *     constraint, whose entries are compared when it is checked
   * @param constraint whether it stands for a UNIQUE constraint
   * @param deferral of that constraint
   * @param predicate text of the condition that rows in the index fulfil; null = all rows are in it
   */
  public record IndexDef(
      int oid,
      String name,
      int space,
      int[] columns,
      List<KeyExpression> expressions,
      int[] included,
      boolean[] descending,
      boolean[] nullsFirst,
      boolean unique,
      boolean constraint,
      Deferral deferral,
      String predicate) {
    private static final int[] NOTHING = new int[0];

    /** An index of all rows, in ascending order. */
    public static IndexDef ascending(
        int oid, String name, int space, int[] columns, boolean unique, boolean constraint) {
      return ofColumns(oid, name, space, columns, unique, constraint, Deferral.NOT_DEFERRABLE);
    }

    /** The index of a UNIQUE constraint. */
    public static IndexDef ofConstraint(
        int oid, String name, int space, int[] columns, Deferral deferral) {
      return ofColumns(oid, name, space, columns, !deferral.isDeferrable(), true, deferral);
    }

    private static IndexDef ofColumns(
        int oid,
        String name,
        int space,
        int[] columns,
        boolean unique,
        boolean constraint,
        Deferral deferral) {
      boolean[] no = new boolean[columns.length];
      return new IndexDef(
          oid,
          name,
          space,
          columns,
          List.of(),
          NOTHING,
          no,
          no,
          unique,
          constraint,
          deferral,
          null);
    }

    /** Whether no two rows have the same values in it once a transaction has committed. */
    public boolean isUniqueAtCommit() {
      return unique || constraint;
    }

    /** Whether only some rows are in it. */
    public boolean isPartial() {
      return predicate != null;
    }

    /** The expression at a place of the key; null when a column is there. */
    public KeyExpression expression(int place) {
      return columns[place] >= 0 ? null : expressions.get(-1 - columns[place]);
    }

    /** Texts of its expressions and of its condition. */
    public List<String> texts() {
      List<String> texts = new ArrayList<>();
      expressions.forEach(expression -> texts.add(expression.sql()));
      if (isPartial()) {
        texts.add(predicate);
      }
      return texts;
    }

    /** The same index with its entries in another tree. */
    public IndexDef withSpace(int newSpace) {
      return with(name, newSpace, columns, expressions, included, predicate);
    }

    public IndexDef withName(String newName) {
      return with(newName, space, columns, expressions, included, predicate);
    }

    /** The same index of columns that have moved to other positions. */
    public IndexDef withColumns(int[] newColumns, int[] newIncluded) {
      return with(name, space, newColumns, expressions, newIncluded, predicate);
    }

    /** The same index with its expressions and its condition written differently. */
    public IndexDef withTexts(UnaryOperator<String> newText) {
      return with(
          name,
          space,
          columns,
          expressions.stream().map(e -> e.withSql(newText.apply(e.sql()))).toList(),
          included,
          isPartial() ? newText.apply(predicate) : null);
    }

    /** The same index with other types of its expressions. */
    public IndexDef withTypes(List<PgType> types) {
      List<KeyExpression> typed = new ArrayList<>();
      for (int i = 0; i < expressions.size(); i++) {
        typed.add(expressions.get(i).withType(types.get(i)));
      }
      return with(name, space, columns, List.copyOf(typed), included, predicate);
    }

    private IndexDef with(
        String newName,
        int newSpace,
        int[] newColumns,
        List<KeyExpression> newExpressions,
        int[] newIncluded,
        String newPredicate) {
      return new IndexDef(
          oid,
          newName,
          newSpace,
          newColumns,
          newExpressions,
          newIncluded,
          descending,
          nullsFirst,
          unique,
          constraint,
          deferral,
          newPredicate);
    }
  }

  /**
   * @param sql text of the condition
   */
  public record CheckDef(int oid, String name, String sql) {}

  /** When a constraint is checked, unless SET CONSTRAINTS says otherwise. */
  public enum Deferral {
    /** At the statement's end, always. */
    NOT_DEFERRABLE,
    /** DEFERRABLE INITIALLY IMMEDIATE. */
    INITIALLY_IMMEDIATE,
    /** DEFERRABLE INITIALLY DEFERRED. */
    INITIALLY_DEFERRED;

    public boolean isDeferrable() {
      return this != NOT_DEFERRABLE;
    }

    public boolean isInitiallyDeferred() {
      return this == INITIALLY_DEFERRED;
    }

    /** As it is written behind a constraint, with a space before it. */
    public String sql() {
      return switch (this) {
        case NOT_DEFERRABLE -> "";
        case INITIALLY_IMMEDIATE -> " DEFERRABLE";
        case INITIALLY_DEFERRED -> " DEFERRABLE INITIALLY DEFERRED";
      };
    }
  }

  /** Referential actions of a foreign key. */
  public enum Action {
    NO_ACTION,
    RESTRICT,
    CASCADE,
    SET_NULL,
    SET_DEFAULT
  }

  /**
   * @param columns referencing column positions
   * @param referencedColumns column positions in the referenced table, which are its primary key or
   *     a unique index
   * @param referencedIndexOid index that the parent is looked up by, 0 = primary key
   * @param supportingIndexOid index of the child used to find children, 0 = primary key prefix
   */
  public record ForeignKeyDef(
      int oid,
      String name,
      int tableOid,
      int[] columns,
      int referencedTableOid,
      int[] referencedColumns,
      int referencedIndexOid,
      int supportingIndexOid,
      Action onUpdate,
      Action onDelete,
      Deferral deferral) {

    public ForeignKeyDef withName(String newName) {
      return new ForeignKeyDef(
          oid,
          newName,
          tableOid,
          columns,
          referencedTableOid,
          referencedColumns,
          referencedIndexOid,
          supportingIndexOid,
          onUpdate,
          onDelete,
          deferral);
    }

    /** The same constraint after columns have moved to other positions. */
    public ForeignKeyDef withColumns(int[] newColumns, int[] newReferencedColumns) {
      return new ForeignKeyDef(
          oid,
          name,
          tableOid,
          newColumns,
          referencedTableOid,
          newReferencedColumns,
          referencedIndexOid,
          supportingIndexOid,
          onUpdate,
          onDelete,
          deferral);
    }

    public ForeignKeyDef withDeferral(Deferral newDeferral) {
      return new ForeignKeyDef(
          oid,
          name,
          tableOid,
          columns,
          referencedTableOid,
          referencedColumns,
          referencedIndexOid,
          supportingIndexOid,
          onUpdate,
          onDelete,
          newDeferral);
    }

    /** The same constraint with its children found by another index. */
    public ForeignKeyDef withSupportingIndex(int indexOid) {
      return new ForeignKeyDef(
          oid,
          name,
          tableOid,
          columns,
          referencedTableOid,
          referencedColumns,
          referencedIndexOid,
          indexOid,
          onUpdate,
          onDelete,
          deferral);
    }
  }
}
