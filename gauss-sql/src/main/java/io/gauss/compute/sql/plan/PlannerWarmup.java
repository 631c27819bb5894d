package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableStatistics;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.type.PgType;
import java.util.Collection;
import java.util.List;

/**
 * Plans typical statements over a made-up table when a node starts, so that the first statements of
 * users do not wait for Calcite and the parser to load, which takes most of a second.
 */
public final class PlannerWarmup {
  private static final int ROUNDS = 3;
  private static final int[] NO_PARAMETERS = new int[0];
  private static final List<String> SEARCH_PATH = List.of("public");

  private static final List<String> STATEMENTS =
      List.of(
          "SELECT a, b FROM t WHERE id = $1",
          "SELECT a FROM t WHERE id = $1 FOR UPDATE",
          "SELECT b FROM t WHERE id BETWEEN $1 AND $2 ORDER BY b LIMIT 10",
          "SELECT a, count(*), sum(id) FROM t GROUP BY a HAVING count(*) > 1 ORDER BY 2 DESC",
          "SELECT x.a FROM t x JOIN t y ON x.id = y.a WHERE y.b = 'v'",
          "SELECT x.a FROM t x LEFT JOIN t y ON x.id = y.a WHERE x.id IN (SELECT a FROM t)",
          "SELECT * FROM (SELECT a, max(b) m FROM t GROUP BY a) s WHERE s.a = 1 UNION ALL SELECT 1,"
              + " 'x'",
          "INSERT INTO t (id, a, b) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET a ="
              + " excluded.a",
          "UPDATE t SET a = a + $1 WHERE id = $2 RETURNING a",
          "DELETE FROM t WHERE id = $1");

  private PlannerWarmup() {}

  /** Takes most of a second of CPU; may run in parallel with the node's start. */
  public static void run(Planner planner) {
    OneTable catalog = new OneTable();
    for (int round = 0; round < ROUNDS; round++) {
      for (String statement : STATEMENTS) {
        planner.plan(PgParser.parse(statement).statement(), NO_PARAMETERS, SEARCH_PATH, catalog);
      }
    }
  }

  /** A catalog with nothing but the table t. */
  private static final class OneTable implements CatalogView {
    private static final TableDef TABLE =
        new TableDef(
            1,
            "public",
            "t",
            1,
            List.of(
                column(1, "id", PgType.INT4, true),
                column(2, "a", PgType.INT4, false),
                column(3, "b", PgType.TEXT, false)),
            new int[] {0},
            "t_pkey",
            List.of(TableDef.IndexDef.ascending(2, "t_a", 2, new int[] {1}, false, false)),
            List.of(),
            List.of(),
            List.of(),
            TableStatistics.UNKNOWN);

    private static TableDef.ColumnDef column(
        int number, String name, PgType type, boolean notNull) {
      return TableDef.ColumnDef.of(number, name, type, notNull);
    }

    @Override
    public long version() {
      return 0;
    }

    @Override
    public TableDef table(List<String> searchPath, String schema, String name) {
      return name.equals("t") ? TABLE : null;
    }

    @Override
    public TableDef table(int oid) {
      return oid == TABLE.oid() ? TABLE : null;
    }

    @Override
    public SequenceDef sequence(List<String> searchPath, String schema, String name) {
      return null;
    }

    @Override
    public SequenceDef sequence(int oid) {
      return null;
    }

    @Override
    public Collection<TableDef> tables() {
      return List.of(TABLE);
    }

    @Override
    public Collection<SequenceDef> sequences() {
      return List.of();
    }

    @Override
    public boolean schemaExists(String schema) {
      return schema.equals("public");
    }
  }
}
