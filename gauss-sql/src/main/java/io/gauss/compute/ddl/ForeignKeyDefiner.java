package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.PgType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Defines foreign keys: the key that they refer to, and the index by which children are found. If
 * the child has no such index, one is created (rule 25); otherwise a delete of a parent would read
 * the whole child table.
 */
final class ForeignKeyDefiner {
  private final DdlContext ddl;

  ForeignKeyDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * Adds a foreign key to a table that is in the catalog and locked; rows are not checked.
   *
   * @return the constraint
   */
  ForeignKeyDef add(int tableOid, ConstraintSpec spec, Set<String> takenNames) {
    refuse(spec);
    TableDef child = ddl.view().table(tableOid);
    int[] columns = columns(child, spec.columns(), true);
    TableDef parent =
        spec.referenced().name().equals(child.name())
                && (spec.referenced().schema() == null
                    || spec.referenced().schema().equals(child.schema()))
            ? child
            : ddl.table(spec.referenced(), TableLockMode.ACCESS_EXCLUSIVE, Privilege.REFERENCES);
    boolean temporary = TemporarySchemas.isTemporary(child.schema());
    if (temporary != TemporarySchemas.isTemporary(parent.schema())) {
      throw new GaussException(
          SqlState.INVALID_TABLE_DEFINITION,
          temporary
              ? "constraints on temporary tables may reference only temporary tables"
              : "constraints on permanent tables may reference only permanent tables");
    }
    int[] referenced =
        spec.referencedColumns().isEmpty()
            ? primaryKeyOf(parent)
            : columns(parent, spec.referencedColumns(), false);
    if (referenced.length != columns.length) {
      throw new GaussException(
          SqlState.INVALID_FOREIGN_KEY,
          "number of referencing and referenced columns for foreign key disagree");
    }
    int referencedIndex = uniqueIndex(parent, referenced);
    // The constraint keeps its columns in the order of the index that finds the parent.
    int[] order = keyOrder(parent, referencedIndex, referenced);
    columns = permute(columns, order);
    referenced = permute(referenced, order);
    String name =
        spec.name() != null
            ? spec.name()
            : ddl.freeName(
                child.schema(), IndexDefiner.baseName(child, columns), "fkey", takenNames);
    checkTypes(child, columns, parent, referenced, name);
    int supporting = supportingIndex(child, columns);
    if (supporting < 0) {
      IndexDef index = newSupportingIndex(child, columns);
      child = new IndexDefiner(ddl).add(child, index);
      supporting = index.oid();
    }
    ForeignKeyDef key =
        new ForeignKeyDef(
            ddl.newOid(),
            name,
            child.oid(),
            columns,
            parent.oid(),
            referenced,
            referencedIndex,
            supporting,
            spec.onUpdate(),
            spec.onDelete(),
            spec.deferral());
    TableEdit edit = new TableEdit(child);
    edit.foreignKeys.add(key);
    ddl.session.put(edit.build());
    return key;
  }

  /** An index by which children can be found, with an empty tree. */
  IndexDef newSupportingIndex(TableDef child, int[] columns) {
    return IndexDef.ascending(
        ddl.newOid(),
        ddl.freeName(child.schema(), IndexDefiner.baseName(child, columns), "idx", Set.of()),
        ddl.session.createTree(),
        columns,
        false,
        false);
  }

  private static void refuse(ConstraintSpec spec) {
    if (spec.matchFull() && spec.columns().size() > 1) {
      throw GaussException.notSupported("MATCH FULL");
    }
    if (spec.notValid()) {
      throw GaussException.notSupported("NOT VALID");
    }
    if (!spec.setColumns().isEmpty()) {
      throw GaussException.notSupported("a column list of ON DELETE SET");
    }
  }

  private static int[] columns(TableDef table, List<String> names, boolean child) {
    int[] columns = new int[names.size()];
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < columns.length; i++) {
      columns[i] = table.columnIndex(names.get(i));
      if (columns[i] < 0) {
        throw new GaussException(
            SqlState.UNDEFINED_COLUMN,
            "column \"%s\" referenced in foreign key constraint does not exist"
                .formatted(names.get(i)));
      }
      if (!seen.add(columns[i])) {
        throw new GaussException(
            child ? SqlState.DUPLICATE_COLUMN : SqlState.INVALID_FOREIGN_KEY,
            child
                ? "column \"%s\" appears twice in a foreign key".formatted(names.get(i))
                : "foreign key referenced-columns list must not contain duplicates");
      }
    }
    return columns;
  }

  private static int[] primaryKeyOf(TableDef parent) {
    if (parent.hasRowId()) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT,
          "there is no primary key for referenced table \"%s\"".formatted(parent.name()));
    }
    return parent.primaryKey();
  }

  /** Oid of the unique index on exactly these columns in any order; 0 = the primary key. */
  private static int uniqueIndex(TableDef parent, int[] columns) {
    if (sameSet(parent.primaryKey(), columns)) {
      return 0;
    }
    boolean isDeferrable = false;
    for (IndexDef index : parent.indexes()) {
      if (!index.isPartial() && sameSet(index.columns(), columns)) {
        if (index.unique()) {
          return index.oid();
        }
        isDeferrable |= index.constraint();
      }
    }
    if (isDeferrable) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "cannot use a deferrable unique constraint for referenced table \"%s\""
              .formatted(parent.name()));
    }
    throw new GaussException(
        SqlState.INVALID_FOREIGN_KEY,
        "there is no unique constraint matching given keys for referenced table \"%s\""
            .formatted(parent.name()));
  }

  private static boolean sameSet(int[] a, int[] b) {
    int[] x = a.clone();
    int[] y = b.clone();
    Arrays.sort(x);
    Arrays.sort(y);
    return Arrays.equals(x, y);
  }

  private static int[] keyOrder(TableDef parent, int indexOid, int[] referenced) {
    int[] key = parent.primaryKey();
    for (IndexDef index : parent.indexes()) {
      if (index.oid() == indexOid) {
        key = index.columns();
      }
    }
    int[] order = new int[key.length];
    for (int i = 0; i < key.length; i++) {
      for (int j = 0; j < referenced.length; j++) {
        if (referenced[j] == key[i]) {
          order[i] = j;
        }
      }
    }
    return order;
  }

  private static int[] permute(int[] values, int[] order) {
    int[] permuted = new int[values.length];
    for (int i = 0; i < order.length; i++) {
      permuted[i] = values[order[i]];
    }
    return permuted;
  }

  /**
   * The two sides are compared by their key bytes, so they must be of one type. PostgreSQL allows
   * any types that an equality operator of the index compares; equal types are the usual case.
   */
  static void checkTypes(
      TableDef child, int[] columns, TableDef parent, int[] referenced, String name) {
    for (int i = 0; i < columns.length; i++) {
      PgType a = child.columns().get(columns[i]).type();
      PgType b = parent.columns().get(referenced[i]).type();
      boolean comparable =
          a.sameType(b)
              || (a.isInteger() && b.isInteger())
              || (a.isNumber() && b.isNumber())
              || (a.isString() && b.isString());
      if (!comparable) {
        throw new GaussException(
                SqlState.DATATYPE_MISMATCH,
                "foreign key constraint \"%s\" cannot be implemented".formatted(name))
            .detail(
                "Key columns \"%s\" and \"%s\" are of incompatible types: %s and %s."
                    .formatted(
                        child.columns().get(columns[i]).name(),
                        parent.columns().get(referenced[i]).name(),
                        a.displayName(),
                        b.displayName()));
      }
    }
  }

  /**
   * Index whose first columns are these, in this order: its oid, 0 = the primary key, -1 = none.
   */
  static int supportingIndex(TableDef child, int[] columns) {
    if (isPrefix(columns, child.primaryKey())) {
      return 0;
    }
    for (IndexDef index : child.indexes()) {
      boolean ascending = true;
      for (int i = 0; i < Math.min(columns.length, index.descending().length); i++) {
        ascending &= !index.descending()[i];
      }
      if (ascending
          && !index.isPartial()
          && index.expressions().isEmpty()
          && isPrefix(columns, index.columns())) {
        return index.oid();
      }
    }
    return -1;
  }

  /** Whether an index (0 = the primary key) exists and finds children by these columns. */
  static boolean supports(TableDef child, int indexOid, int[] columns) {
    return indexOid == 0
        ? isPrefix(columns, child.primaryKey())
        : child.indexes().stream()
            .anyMatch(index -> index.oid() == indexOid && isPrefix(columns, index.columns()));
  }

  private static boolean isPrefix(int[] columns, int[] key) {
    return key.length >= columns.length
        && Arrays.equals(columns, Arrays.copyOf(key, columns.length));
  }
}
