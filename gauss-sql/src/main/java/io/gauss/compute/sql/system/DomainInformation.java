package io.gauss.compute.sql.system;

import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.sql.state.SystemState;
import io.gauss.compute.sql.system.InformationSchemaRows.TypeFacts;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import java.util.Map;
import java.util.function.Consumer;

/** The standard's views of domains. */
final class DomainInformation {
  private static final String DATABASE = InformationSchemaRows.DATABASE;

  private DomainInformation() {}

  static void register(Map<String, SystemTableRows.Source> sources) {
    sources.put("information_schema.domains", DomainInformation::domains);
    sources.put("information_schema.domain_constraints", DomainInformation::constraints);
    sources.put("information_schema.domain_udt_usage", DomainInformation::udtUsage);
    sources.put("information_schema.column_domain_usage", DomainInformation::columnUsage);
  }

  private static String schema(PgType type) {
    return type.isUserDefined() ? type.schema() : "pg_catalog";
  }

  private static void domains(SystemState state, Consumer<Object[]> rows) {
    for (DomainDef domain : state.catalog().domains()) {
      PgType base = domain.domain().base();
      TypeFacts facts = InformationSchemaRows.facts(base);
      rows.accept(
          new Object[] {
            DATABASE,
            domain.schema(),
            domain.name(),
            base.isUserDefined() ? "USER-DEFINED" : base.displayName(),
            facts.length(),
            facts.octets(),
            null,
            null,
            null,
            null,
            null,
            null,
            facts.precision(),
            facts.radix(),
            facts.scale(),
            facts.fractionDigits(),
            null,
            null,
            StoredTypes.shown(domain.domain().defaultSql(), state::typeName),
            DATABASE,
            schema(base),
            base.name(),
            null,
            null,
            null,
            null,
            "1"
          });
    }
  }

  private static void constraints(SystemState state, Consumer<Object[]> rows) {
    for (DomainDef domain : state.catalog().domains()) {
      for (DomainType.Check check : domain.domain().checks()) {
        rows.accept(
            new Object[] {
              DATABASE,
              domain.schema(),
              check.name(),
              DATABASE,
              domain.schema(),
              domain.name(),
              "NO",
              "NO"
            });
      }
    }
  }

  private static void udtUsage(SystemState state, Consumer<Object[]> rows) {
    for (DomainDef domain : state.catalog().domains()) {
      PgType base = domain.domain().base();
      rows.accept(
          new Object[] {
            DATABASE, schema(base), base.name(), DATABASE, domain.schema(), domain.name()
          });
    }
  }

  private static void columnUsage(SystemState state, Consumer<Object[]> rows) {
    for (TableDef table : RelationRows.allTables(state.catalog())) {
      for (ColumnDef column : table.columns()) {
        DomainType domain = column.type().domain();
        if (domain != null) {
          rows.accept(
              new Object[] {
                DATABASE,
                domain.schema(),
                domain.name(),
                DATABASE,
                table.schema(),
                table.name(),
                column.name()
              });
        }
      }
    }
  }
}
