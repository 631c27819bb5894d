package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A catalog made from CREATE TABLE and CREATE INDEX statements, with sizes given by hand. */
final class FixtureCatalog implements CatalogView {
  private final Map<String, TableDef> tables = new LinkedHashMap<>();
  private final Map<Integer, SequenceDef> sequences = new HashMap<>();
  private int nextOid = 16384;

  static FixtureCatalog of(String ddl) {
    FixtureCatalog catalog = new FixtureCatalog();
    for (ParsedStatement statement : PgParser.parseAll(ddl)) {
      switch (statement.statement()) {
        case PgStatement.CreateTable table -> catalog.create(table);
        case PgStatement.CreateIndex index -> catalog.create(index);
        default -> throw new IllegalArgumentException(statement.text());
      }
    }
    return catalog;
  }

  /** Sets a table's size. */
  FixtureCatalog rows(String name, double rows, double pages) {
    TableDef t = tables.get(name);
    tables.put(
        name,
        with(
            t,
            t.indexes(),
            t.foreignKeys(),
            t.referencedBy(),
            new TableStatistics(rows, pages, new TableStatistics.ColumnStatistics[0])));
    return this;
  }

  private static TableDef with(
      TableDef t,
      List<TableDef.IndexDef> indexes,
      List<TableDef.ForeignKeyDef> foreignKeys,
      List<TableDef.ForeignKeyDef> referencedBy,
      TableStatistics statistics) {
    return new TableDef(
        t.oid(),
        t.schema(),
        t.name(),
        t.space(),
        t.columns(),
        t.primaryKey(),
        t.primaryKeyName(),
        indexes,
        t.checks(),
        foreignKeys,
        referencedBy,
        statistics);
  }

  private void create(PgStatement.CreateTable create) {
    int oid = nextOid++;
    String name = create.name().name();
    List<PgStatement.ConstraintSpec> constraints = new ArrayList<>(create.constraints());
    create.columns().forEach(c -> constraints.addAll(c.constraints()));
    List<String> key =
        constraints.stream()
            .filter(c -> c.kind() == PgStatement.ConstraintKind.PRIMARY_KEY)
            .findFirst()
            .map(PgStatement.ConstraintSpec::columns)
            .orElse(List.of());
    List<TableDef.ColumnDef> columns = new ArrayList<>();
    for (PgStatement.ColumnSpec spec : create.columns()) {
      boolean serial = PgTypes.isSerial(spec.type().name());
      int sequence = 0;
      if (serial || spec.identity() != 0) {
        sequence = nextOid++;
        sequences.put(
            sequence,
            new SequenceDef(
                sequence,
                "public",
                name + "_" + spec.name() + "_seq",
                1,
                1,
                1,
                Long.MAX_VALUE,
                1,
                false,
                oid,
                columns.size()));
      }
      columns.add(
          new TableDef.ColumnDef(
              columns.size() + 1,
              spec.name(),
              type(spec.type()),
              spec.notNull() || serial || key.contains(spec.name()) || spec.identity() != 0,
              serial
                  ? "nextval('" + name + "_" + spec.name() + "_seq'::regclass)"
                  : spec.defaultSql(),
              spec.identity(),
              sequence,
              null,
              null));
    }
    TableDef table =
        new TableDef(
            oid,
            "public",
            name,
            oid,
            columns,
            new int[0],
            null,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            TableStatistics.UNKNOWN);
    int[] primaryKey = key.stream().mapToInt(table::columnIndex).toArray();
    List<TableDef.CheckDef> checks = new ArrayList<>();
    List<TableDef.IndexDef> indexes = new ArrayList<>();
    List<TableDef.ForeignKeyDef> foreignKeys = new ArrayList<>();
    for (PgStatement.ConstraintSpec spec : constraints) {
      int[] positions = spec.columns().stream().mapToInt(table::columnIndex).toArray();
      switch (spec.kind()) {
        case CHECK ->
            checks.add(new TableDef.CheckDef(nextOid++, name + "_check", spec.checkSql()));
        case UNIQUE ->
            indexes.add(
                TableDef.IndexDef.ascending(
                    nextOid++,
                    spec.name() == null
                        ? name + "_" + String.join("_", spec.columns()) + "_key"
                        : spec.name(),
                    nextOid++,
                    positions,
                    true,
                    true));
        case FOREIGN_KEY -> {
          TableDef parent = tables.get(spec.referenced().name());
          TableDef.ForeignKeyDef foreignKey =
              new TableDef.ForeignKeyDef(
                  nextOid++,
                  name + "_fkey",
                  oid,
                  positions,
                  parent.oid(),
                  parent.primaryKey(),
                  0,
                  0,
                  TableDef.Action.NO_ACTION,
                  TableDef.Action.NO_ACTION,
                  TableDef.Deferral.NOT_DEFERRABLE);
          foreignKeys.add(foreignKey);
          List<TableDef.ForeignKeyDef> referencedBy = new ArrayList<>(parent.referencedBy());
          referencedBy.add(foreignKey);
          tables.put(
              parent.name(),
              with(
                  parent,
                  parent.indexes(),
                  parent.foreignKeys(),
                  referencedBy,
                  parent.statistics()));
        }
        default -> {}
      }
    }
    tables.put(
        name,
        new TableDef(
            oid,
            "public",
            name,
            oid,
            columns,
            primaryKey,
            primaryKey.length == 0 ? null : name + "_pkey",
            indexes,
            checks,
            foreignKeys,
            List.of(),
            TableStatistics.UNKNOWN));
  }

  private static PgType type(TypeName type) {
    return PgTypes.byName(
        type.name(), type.modifiers().stream().mapToInt(Integer::intValue).toArray());
  }

  private void create(PgStatement.CreateIndex create) {
    TableDef table = tables.get(create.table().name());
    int count = create.elements().size();
    int[] columns = new int[count];
    boolean[] descending = new boolean[count];
    boolean[] nullsFirst = new boolean[count];
    for (int i = 0; i < count; i++) {
      PgStatement.IndexElement element = create.elements().get(i);
      columns[i] = table.columnIndex(element.column());
      descending[i] = element.descending();
      nullsFirst[i] = element.nullsFirst() == null ? descending[i] : element.nullsFirst();
    }
    List<TableDef.IndexDef> indexes = new ArrayList<>(table.indexes());
    indexes.add(
        new TableDef.IndexDef(
            nextOid++,
            create.name(),
            nextOid++,
            columns,
            List.of(),
            new int[0],
            descending,
            nullsFirst,
            create.unique(),
            false,
            TableDef.Deferral.NOT_DEFERRABLE,
            null));
    tables.put(
        table.name(),
        with(table, indexes, table.foreignKeys(), table.referencedBy(), table.statistics()));
  }

  @Override
  public long version() {
    return 1;
  }

  @Override
  public TableDef table(List<String> searchPath, String schema, String name) {
    if ("pg_catalog".equals(schema)) {
      return SystemTables.find(schema, name);
    }
    return schema == null || schema.equals("public") ? tables.get(name) : null;
  }

  @Override
  public TableDef table(int oid) {
    return tables.values().stream().filter(t -> t.oid() == oid).findFirst().orElse(null);
  }

  @Override
  public SequenceDef sequence(List<String> searchPath, String schema, String name) {
    return sequences.values().stream().filter(s -> s.name().equals(name)).findFirst().orElse(null);
  }

  @Override
  public SequenceDef sequence(int oid) {
    return sequences.get(oid);
  }

  @Override
  public Collection<TableDef> tables() {
    return tables.values();
  }

  @Override
  public Collection<SequenceDef> sequences() {
    return sequences.values();
  }

  @Override
  public boolean schemaExists(String schema) {
    return schema.equals("public") || schema.equals("pg_catalog");
  }
}
