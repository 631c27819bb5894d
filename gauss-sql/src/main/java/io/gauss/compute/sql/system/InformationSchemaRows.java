package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.Map;
import java.util.function.Consumer;

/** The standard's views of the catalog. */
final class InformationSchemaRows {
  static final String DATABASE = ServerRows.DATABASE_NAME;

  /** Bytes of a string without a length. */
  private static final int ANY_LENGTH = 1 << 30;

  private static final int MOST_FRACTION_DIGITS = 6;

  private InformationSchemaRows() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("information_schema.schemata", InformationSchemaRows::schemata);
    sources.put("information_schema.tables", InformationSchemaRows::tables);
    sources.put("information_schema.views", InformationSchemaRows::views);
    sources.put("information_schema.columns", InformationSchemaRows::columns);
    sources.put("information_schema.table_constraints", InformationSchemaRows::constraints);
    sources.put("information_schema.key_column_usage", InformationSchemaRows::keyColumns);
    sources.put("information_schema.referential_constraints", InformationSchemaRows::references);
    sources.put("information_schema.sequences", InformationSchemaRows::sequences);
    DomainInformation.register(sources);
  }

  private static String yesNo(boolean yes) {
    return yes ? "YES" : "NO";
  }

  private static void schemata(SystemState state, Consumer<Object[]> rows) {
    for (SchemaDef schema : state.catalog().schemas()) {
      rows.accept(new Object[] {DATABASE, schema.name(), RoleRows.ownerName(state, schema.oid())});
    }
  }

  private static void tables(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : RelationRows.allTables(state.catalog())) {
      rows.accept(
          new Object[] {
            DATABASE,
            table.schema(),
            table.name(),
            RelationRows.isView(table) ? "VIEW" : "BASE TABLE",
            yesNo(table.space() > 0),
            "NO"
          });
    }
  }

  private static void views(SystemState state, Consumer<Object[]> rows) {
    for (ViewDef view : state.catalog().views()) {
      rows.accept(
          new Object[] {
            DATABASE,
            view.schema(),
            view.name(),
            StoredTypes.shown(Definitions.view(state.catalog(), view.oid()), state::typeName),
            "NONE",
            "NO",
            "NO",
            "NO",
            "NO",
            "NO"
          });
    }
  }

  private static void columns(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : RelationRows.allTables(state.catalog())) {
      for (ColumnDef column : table.columns()) {
        rows.accept(column(state, table, column));
      }
    }
  }

  /** What several views tell of a type, in the order in which they have it. */
  record TypeFacts(
      Integer length,
      Integer octets,
      Integer precision,
      Integer radix,
      Integer scale,
      Integer fractionDigits) {}

  /** Of a domain they are not told. */
  static TypeFacts facts(PgType type) {
    if (type.isDomain()) {
      return new TypeFacts(null, null, null, null, null, null);
    }
    boolean text = type.is(PgType.VARCHAR) || type.is(PgType.BPCHAR);
    Integer length = text && type.length() > 0 ? Integer.valueOf(type.length()) : null;
    Integer octets =
        length != null
            ? Integer.valueOf(length * 4)
            : text || type.is(PgType.TEXT) ? Integer.valueOf(ANY_LENGTH) : null;
    boolean numeric = type.is(PgType.NUMERIC) && type.typmod() >= 0;
    boolean binary = type.isInteger() || type.isFloat();
    Integer precision =
        numeric
            ? Integer.valueOf(type.precision())
            : type.isInteger()
                ? Integer.valueOf(type.typlen() * 8)
                : type.isFloat() ? Integer.valueOf(type.typlen() == 4 ? 24 : 53) : null;
    Integer scale =
        numeric ? Integer.valueOf(type.scale()) : type.isInteger() ? Integer.valueOf(0) : null;
    boolean time =
        type.is(PgType.TIME)
            || type.is(PgType.TIMESTAMP)
            || type.is(PgType.TIMESTAMPTZ)
            || type.is(PgType.INTERVAL);
    int digits = Math.min(MOST_FRACTION_DIGITS, type.fractionDigits()); // an interval may say none
    return new TypeFacts(
        length,
        octets,
        precision,
        binary ? Integer.valueOf(2) : type.is(PgType.NUMERIC) ? Integer.valueOf(10) : null,
        scale,
        time ? Integer.valueOf(digits) : type.is(PgType.DATE) ? Integer.valueOf(0) : null);
  }

  private static Object[] column(SystemState state, TableDef table, ColumnDef column) {
    // Of a domain over a domain PostgreSQL tells no more than the name.
    DomainType domain = column.type().domain();
    PgType type = domain == null ? column.type() : domain.base();
    TypeFacts facts = facts(type);
    SequenceDef sequence =
        column.identity() == 0 ? null : state.catalog().sequence(column.sequenceOid());
    return new Object[] {
      DATABASE,
      table.schema(),
      table.name(),
      column.name(),
      column.number(),
      column.isGenerated() ? null : shownDefault(state, table, column),
      yesNo(!column.notNull() && !(domain != null && domain.notNull())),
      type.isPlainArray() && !type.isVector()
          ? "ARRAY"
          : type.isUserDefined() ? "USER-DEFINED" : type.displayName(),
      facts.length(),
      facts.octets(),
      facts.precision(),
      facts.radix(),
      facts.scale(),
      facts.fractionDigits(),
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      domain == null ? null : DATABASE,
      domain == null ? null : domain.schema(),
      domain == null ? null : domain.name(),
      DATABASE,
      type.isUserDefined() ? type.schema() : "pg_catalog",
      type.name(),
      null,
      null,
      null,
      null,
      Integer.toString(column.number()),
      "NO",
      yesNo(column.identity() != 0),
      column.identity() == 0 ? null : column.identity() == 'a' ? "ALWAYS" : "BY DEFAULT",
      sequence == null ? null : Long.toString(sequence.start()),
      sequence == null ? null : Long.toString(sequence.increment()),
      sequence == null ? null : Long.toString(sequence.maxValue()),
      sequence == null ? null : Long.toString(sequence.minValue()),
      yesNo(sequence != null && sequence.cycle()),
      column.isGenerated() ? "ALWAYS" : "NEVER",
      column.isGenerated() ? shownDefault(state, table, column) : null,
      yesNo(table.space() > 0)
    };
  }

  private static String shownDefault(SystemState state, TableDef table, ColumnDef column) {
    return StoredTypes.shown(Definitions.columnDefault(table, column), state::typeName);
  }

  private static void constraints(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      if (!table.hasRowId()) {
        rows.accept(
            constraint(table, table.primaryKeyName(), "PRIMARY KEY", Deferral.NOT_DEFERRABLE));
      }
      for (IndexDef index : table.indexes()) {
        if (index.constraint()) {
          rows.accept(constraint(table, index.name(), "UNIQUE", index.deferral()));
        }
      }
      for (CheckDef check : table.checks()) {
        rows.accept(constraint(table, check.name(), "CHECK", Deferral.NOT_DEFERRABLE));
      }
      for (ForeignKeyDef key : table.foreignKeys()) {
        rows.accept(constraint(table, key.name(), "FOREIGN KEY", key.deferral()));
      }
    }
  }

  private static Object[] constraint(TableDef table, String name, String kind, Deferral deferral) {
    return new Object[] {
      DATABASE,
      table.schema(),
      name,
      DATABASE,
      table.schema(),
      table.name(),
      kind,
      yesNo(deferral.isDeferrable()),
      yesNo(deferral.isInitiallyDeferred()),
      "YES"
    };
  }

  private static void keyColumns(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : state.catalog().tables()) {
      if (!table.hasRowId()) {
        keyColumns(table, table.primaryKeyName(), table.primaryKey(), false, rows);
      }
      for (IndexDef index : table.indexes()) {
        if (index.constraint()) {
          keyColumns(table, index.name(), index.columns(), false, rows);
        }
      }
      for (ForeignKeyDef key : table.foreignKeys()) {
        keyColumns(table, key.name(), key.columns(), true, rows);
      }
    }
  }

  private static void keyColumns(
      TableDef table, String name, int[] columns, boolean foreign, Consumer<Object[]> rows) {
    for (int i = 0; i < columns.length; i++) {
      rows.accept(
          new Object[] {
            DATABASE,
            table.schema(),
            name,
            DATABASE,
            table.schema(),
            table.name(),
            table.columns().get(columns[i]).name(),
            i + 1,
            foreign ? Integer.valueOf(i + 1) : null
          });
    }
  }

  private static void references(SystemState state, Consumer<Object[]> rows) {
    CatalogSnapshot catalog = state.catalog();
    for (TableDef table : catalog.tables()) {
      for (ForeignKeyDef key : table.foreignKeys()) {
        TableDef parent = catalog.table(key.referencedTableOid());
        String unique = parent.primaryKeyName();
        for (IndexDef index : parent.indexes()) {
          if (index.oid() == key.referencedIndexOid()) {
            unique = index.name();
          }
        }
        rows.accept(
            new Object[] {
              DATABASE,
              table.schema(),
              key.name(),
              DATABASE,
              parent.schema(),
              unique,
              "NONE",
              key.onUpdate().name().replace('_', ' '),
              key.onDelete().name().replace('_', ' ')
            });
      }
    }
  }

  private static void sequences(SystemState state, Consumer<Object[]> rows) {
    for (SequenceDef s : state.catalog().sequences()) {
      rows.accept(
          new Object[] {
            DATABASE,
            s.schema(),
            s.name(),
            RelationRows.sequenceType(s).displayName(),
            Long.toString(s.start()),
            Long.toString(s.minValue()),
            Long.toString(s.maxValue()),
            Long.toString(s.increment()),
            yesNo(s.cycle())
          });
    }
  }
}
