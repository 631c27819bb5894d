package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.parse.KeyExpressionText;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Relations and their parts: pg_class, pg_attribute, pg_index, pg_sequence and the like. */
final class RelationRows {
  /** Positions in pg_class. */
  private static final int OWNER_COLUMN = 5;

  private static final int ACCESS_COLUMN = 28;

  private static final int DEFAULT_OIDS = 0x3000_0000;

  private RelationRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("pg_catalog.pg_class", RelationRows::classes);
    sources.put("pg_catalog.pg_attribute", RelationRows::attributes);
    sources.put("pg_catalog.pg_attrdef", RelationRows::defaults);
    sources.put("pg_catalog.pg_namespace", RelationRows::namespaces);
    sources.put("pg_catalog.pg_index", RelationRows::indexes);
    sources.put("pg_catalog.pg_sequence", RelationRows::sequences);
    sources.put("pg_catalog.pg_depend", RelationRows::dependencies);
    sources.put("pg_catalog.pg_tables", RelationRows::tables);
    sources.put("pg_catalog.pg_views", RelationRows::views);
    sources.put("pg_catalog.pg_indexes", RelationRows::indexTexts);
    sources.put("pg_catalog.pg_sequences", RelationRows::sequenceTexts);
    sources.put("pg_catalog.pg_stats", RelationRows::statistics);
    sources.put("gauss.table_statistics", RelationRows::tableStatistics);
  }

  /** User tables, views and system tables. */
  static List<TableDef> allTables(CatalogSnapshot catalog) {
    List<TableDef> tables = new ArrayList<>(catalog.tables());
    catalog.views().forEach(view -> tables.add(view.asTable()));
    tables.addAll(SystemTables.all());
    return tables;
  }

  static int namespace(CatalogSnapshot catalog, String schema) {
    SchemaDef found = catalog.schema(schema);
    return found == null ? 0 : found.oid();
  }

  private static void namespaces(SystemState state, Consumer<Object[]> rows) {
    for (SchemaDef schema : state.catalog().schemas()) {
      rows.accept(
          new Object[] {
            schema.oid(),
            schema.name(),
            RoleRows.owner(state, schema.oid()),
            RoleRows.accessList(state, schema.oid())
          });
    }
  }

  // ---------------------------------------------------------------- pg_class

  private static void classes(SystemState state, Consumer<Object[]> rows) {
    Set<Object> temporary = new HashSet<>();
    for (SchemaDef schema : state.catalog().schemas()) {
      if (SchemaDef.isTemporary(schema.name())) {
        temporary.add(schema.oid());
      }
    }
    addClasses(
        state,
        row -> {
          int oid = (Integer) row[0];
          row[OWNER_COLUMN] = RoleRows.owner(state, oid);
          row[ACCESS_COLUMN] = RoleRows.accessList(state, oid);
          if (temporary.contains(row[NAMESPACE_COLUMN])) {
            row[PERSISTENCE_COLUMN] = 't';
          }
          rows.accept(row);
        });
  }

  private static void addClasses(SystemState state, Consumer<Object[]> rows) {
    CatalogSnapshot catalog = state.catalog();
    for (TableDef table : allTables(catalog)) {
      int namespace = namespace(catalog, table.schema());
      TableStatistics statistics = table.statistics();
      rows.accept(
          new Relation(
                  table.oid(),
                  table.name(),
                  namespace,
                  isView(table) ? 'v' : 'r',
                  isView(table) ? 0 : SystemOids.HEAP,
                  statistics,
                  !table.shownIndexes().isEmpty(),
                  table.columns().size(),
                  table.checks().size(),
                  !table.foreignKeys().isEmpty() || !table.referencedBy().isEmpty())
              .row());
      for (IndexDef index : table.shownIndexes()) {
        rows.accept(
            new Relation(
                    index.oid(),
                    index.name(),
                    namespace,
                    'i',
                    SystemOids.BTREE,
                    statistics,
                    false,
                    index.columns().length + index.included().length,
                    0,
                    false)
                .row());
      }
    }
    for (SequenceDef sequence : catalog.sequences()) {
      rows.accept(
          new Relation(
                  sequence.oid(),
                  sequence.name(),
                  namespace(catalog, sequence.schema()),
                  'S',
                  0,
                  new TableStatistics(1, 1, new ColumnStatistics[0]),
                  false,
                  3,
                  0,
                  false)
              .row());
    }
  }

  /** System tables outside pg_catalog are reported as views. */
  static boolean isView(TableDef table) {
    return table.space() == ViewDef.SPACE
        || (SystemTables.isSystem(table) && !table.schema().equals("pg_catalog"));
  }

  private static final int NAMESPACE_COLUMN = 2;
  private static final int PERSISTENCE_COLUMN = 15;

  /**
   * What differs between the rows of pg_class.
   *
   * @param method access method, 0 = none
   * @param indexed whether it has indexes
   * @param checks number of CHECK constraints
   * @param triggers whether it has any, as foreign keys have
   */
  private record Relation(
      int oid,
      String name,
      int namespace,
      char kind,
      int method,
      TableStatistics statistics,
      boolean indexed,
      int columns,
      int checks,
      boolean triggers) {
    Object[] row() {
      boolean known = statistics != TableStatistics.UNKNOWN;
      return new Object[] {
        oid,
        name,
        namespace,
        0,
        0,
        SystemOids.OWNER,
        method,
        oid,
        0,
        known ? (int) statistics.pages() : 0,
        known ? statistics.rows() : -1.0,
        0,
        0,
        indexed,
        false,
        'p',
        kind,
        columns,
        checks,
        false,
        triggers,
        false,
        false,
        false,
        true,
        kind == 'r' ? 'd' : 'n',
        false,
        0,
        null,
        null,
        null
      };
    }
  }

  // ---------------------------------------------------------------- pg_attribute, pg_attrdef

  private static void attributes(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : allTables(state.catalog())) {
      for (ColumnDef column : table.columns()) {
        rows.accept(attribute(table.oid(), column, column.number()));
      }
      for (IndexDef index : table.shownIndexes()) {
        keyAttributes(table, index, rows);
      }
    }
  }

  private static void keyAttributes(TableDef table, IndexDef index, Consumer<Object[]> rows) {
    int number = 0;
    for (int place = 0; place < index.columns().length; place++) {
      KeyExpression expression = index.expression(place);
      String name =
          expression == null
              ? table.columns().get(index.columns()[place]).name()
              : expression.name();
      ColumnDef bare = ColumnDef.of(++number, name, table.keyType(index, place), false);
      rows.accept(attribute(index.oid(), bare, number));
    }
    for (int position : index.included()) {
      ColumnDef column = table.columns().get(position);
      ColumnDef bare = ColumnDef.of(++number, column.name(), column.type(), false);
      rows.accept(attribute(index.oid(), bare, number));
    }
  }

  private static Object[] attribute(int relation, ColumnDef column, int number) {
    PgType type = column.type();
    return new Object[] {
      relation,
      column.name(),
      type.declaredOid(),
      -1,
      type.typlen(),
      number,
      type.isPlainArray() ? 1 : 0,
      type.declaredTypmod(),
      TypeRows.byValue(type),
      TypeRows.alignment(type),
      TypeRows.storage(type),
      (char) 0,
      column.notNull(),
      column.defaultSql() != null || column.isGenerated(),
      column.missing() != null,
      column.identity(),
      column.isGenerated() ? 's' : (char) 0,
      false,
      true,
      0,
      TypeRows.collation(type),
      null,
      null,
      null,
      null
    };
  }

  private static void defaults(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      for (ColumnDef column : table.columns()) {
        if (column.defaultSql() != null || column.isGenerated()) {
          int oid = DEFAULT_OIDS | table.oid() * 61 + column.number() & 0x0FFF_FFFF;
          String text = Definitions.columnDefault(table, column);
          rows.accept(new Object[] {oid, table.oid(), column.number(), text});
        }
      }
    }
  }

  // ---------------------------------------------------------------- indexes

  private static void indexes(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      for (IndexDef index : table.shownIndexes()) {
        rows.accept(index(table, index));
      }
    }
  }

  private static Object[] index(TableDef table, IndexDef index) {
    int[] columns = index.columns();
    int[] numbers = new int[columns.length + index.included().length];
    int[] collations = new int[columns.length];
    int[] options = new int[columns.length];
    for (int i = 0; i < columns.length; i++) {
      numbers[i] = columns[i] < 0 ? 0 : table.columns().get(columns[i]).number();
      collations[i] = TypeRows.collation(table.keyType(index, i));
      options[i] = (index.descending()[i] ? 1 : 0) | (index.nullsFirst()[i] ? 2 : 0);
    }
    for (int i = 0; i < index.included().length; i++) {
      numbers[columns.length + i] = table.columns().get(index.included()[i]).number();
    }
    return new Object[] {
      index.oid(),
      table.oid(),
      numbers.length,
      columns.length,
      index.isUniqueAtCommit(),
      false,
      SystemOids.isPrimaryKeyIndex(index.oid()),
      false,
      !index.deferral().isDeferrable(),
      false,
      true,
      false,
      true,
      true,
      false,
      new SystemRow.Vector(numbers),
      new SystemRow.Vector(collations),
      new SystemRow.Vector(new int[columns.length]),
      new SystemRow.Vector(options),
      index.expressions().isEmpty()
          ? null
          : KeyExpressionText.listed(index.expressions().stream().map(KeyExpression::sql).toList()),
      index.isPartial() ? "(" + index.predicate() + ")" : null
    };
  }

  private static void indexTexts(SystemState state, Consumer<Object[]> rows) {
    CatalogSnapshot catalog = state.catalog();
    for (TableDef table : catalog.tables()) {
      for (IndexDef index : table.shownIndexes()) {
        String text = Definitions.index(catalog, index.oid(), 0, false, false);
        rows.accept(
            new Object[] {
              table.schema(),
              table.name(),
              index.name(),
              null,
              StoredTypes.shown(text, state::typeName)
            });
      }
    }
  }

  // ---------------------------------------------------------------- sequences, tables, statistics

  private static void sequences(SystemState state, Consumer<Object[]> rows) {
    for (SequenceDef s : state.catalog().sequences()) {
      rows.accept(
          new Object[] {
            s.oid(),
            sequenceType(s).oid(),
            s.start(),
            s.increment(),
            s.maxValue(),
            s.minValue(),
            s.cache(),
            s.cycle()
          });
    }
  }

  /** The bounds of a sequence show its declared type. */
  static PgType sequenceType(SequenceDef s) {
    if (s.maxValue() == Short.MAX_VALUE || s.minValue() == Short.MIN_VALUE) {
      return PgType.INT2;
    }
    return s.maxValue() == Integer.MAX_VALUE || s.minValue() == Integer.MIN_VALUE
        ? PgType.INT4
        : PgType.INT8;
  }

  private static void sequenceTexts(SystemState state, Consumer<Object[]> rows) {
    for (SequenceDef s : state.catalog().sequences()) {
      rows.accept(
          new Object[] {
            s.schema(),
            s.name(),
            RoleRows.ownerName(state, s.oid()),
            sequenceType(s).oid(),
            s.start(),
            s.minValue(),
            s.maxValue(),
            s.increment(),
            s.cycle(),
            s.cache()
          });
    }
  }

  /** Sequences belong to their columns, array types to their elements; columns need their types. */
  private static void dependencies(SystemState state, Consumer<Object[]> rows) {
    for (TypeDef type : state.catalog().typeDefs()) {
      rows.accept(
          new Object[] {
            SystemOids.PG_TYPE, type.arrayOid(), 0, SystemOids.PG_TYPE, type.oid(), 0, 'i'
          });
    }
    for (DomainDef domain : state.catalog().domains()) {
      PgType base = domain.domain().base();
      if (base.isUserDefined()) {
        rows.accept(
            new Object[] {
              SystemOids.PG_TYPE, domain.oid(), 0, SystemOids.PG_TYPE, base.declaredOid(), 0, 'n'
            });
      }
      for (DomainType.Check check : domain.domain().checks()) {
        rows.accept(
            new Object[] {
              SystemOids.PG_CONSTRAINT, check.oid(), 0, SystemOids.PG_TYPE, domain.oid(), 0, 'a'
            });
      }
    }
    for (TableDef table : state.catalog().tables()) {
      for (ColumnDef column : table.columns()) {
        if (column.type().isUserDefined()) {
          rows.accept(
              new Object[] {
                SystemOids.PG_CLASS,
                table.oid(),
                column.number(),
                SystemOids.PG_TYPE,
                column.type().declaredOid(),
                0,
                'n'
              });
        }
      }
    }
    for (SequenceDef s : state.catalog().sequences()) {
      TableDef table = s.ownerTableOid() == 0 ? null : state.catalog().table(s.ownerTableOid());
      if (table == null) {
        continue;
      }
      ColumnDef column = table.columns().get(s.ownerColumn());
      boolean isIdentity = column.identity() != 0 && column.sequenceOid() == s.oid();
      rows.accept(
          new Object[] {
            SystemOids.PG_CLASS,
            s.oid(),
            0,
            SystemOids.PG_CLASS,
            table.oid(),
            column.number(),
            isIdentity ? 'i' : 'a'
          });
    }
  }

  private static void tables(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : allTables(state.catalog())) {
      if (isView(table)) {
        continue;
      }
      rows.accept(
          new Object[] {
            table.schema(),
            table.name(),
            RoleRows.ownerName(state, table.oid()),
            null,
            !table.hasRowId() || !table.indexes().isEmpty(),
            false,
            !table.foreignKeys().isEmpty() || !table.referencedBy().isEmpty(),
            false
          });
    }
  }

  private static void views(SystemState state, Consumer<Object[]> rows) {
    for (ViewDef view : state.catalog().views()) {
      rows.accept(
          new Object[] {
            view.schema(),
            view.name(),
            RoleRows.ownerName(state, view.oid()),
            StoredTypes.shown(Definitions.view(state.catalog(), view.oid()), state::typeName)
          });
    }
  }

  private static void statistics(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      ColumnStatistics[] columns = table.statistics().columns();
      for (int i = 0; i < Math.min(columns.length, table.columns().size()); i++) {
        if (columns[i] != null) {
          rows.accept(
              new Object[] {
                table.schema(),
                table.name(),
                table.columns().get(i).name(),
                false,
                columns[i].nullFraction(),
                (int) Math.round(columns[i].averageWidth()),
                columns[i].distinct()
              });
        }
      }
    }
  }

  private static void tableStatistics(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      TableStatistics statistics = table.statistics();
      for (int i = 0; i < Math.min(statistics.columns().length, table.columns().size()); i++) {
        ColumnStatistics column = statistics.columns()[i];
        if (column != null) {
          rows.accept(
              new Object[] {
                table.schema(),
                table.name(),
                table.columns().get(i).name(),
                statistics.rows(),
                statistics.pages(),
                column.nullFraction(),
                column.distinct(),
                column.averageWidth(),
                column.histogram().length
              });
        }
      }
    }
  }
}
