package io.gauss.compute.catalog;

import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.Map;

/** Rows of the catalog, for the registry of formats. */
public final class CatalogExamples {
  public static final int VERSION = CatalogCodec.VERSION;

  private static final int OID = 16_401;
  private static final int SPACE = 130;

  private CatalogExamples() {}

  public static byte[] schema() {
    return CatalogCodec.encode(new SchemaDef(16_400, "app"));
  }

  /** A type of two labels. */
  public static byte[] enumType() {
    return CatalogCodec.encode(
        new EnumDef(
            OID + 4,
            OID + 5,
            "app",
            "mood",
            "_mood",
            EnumLabels.first(List.of("sad", "ok"), List.of(OID + 6, OID + 7))));
  }

  /** A domain with a default and a condition. */
  public static byte[] domain() {
    return CatalogCodec.encode(
        new DomainDef(
            new DomainType(
                new DomainType.Identity(OID + 8, OID + 9, "app", "posint", "_posint"),
                PgType.INT4,
                true,
                "1",
                List.of(new DomainType.Check(OID + 10, "posint_check", "VALUE > 0", false)))));
  }

  /** A table with everything that a table can have once. */
  public static byte[] table() {
    int[] first = {0};
    return CatalogCodec.encode(
        new TableDef(
            OID,
            "app",
            "t",
            SPACE,
            List.of(ColumnDef.of(1, "a", PgType.INT4, true)),
            first,
            "t_pkey",
            List.of(
                IndexDef.ofConstraint(
                    OID + 1, "t_a_key", SPACE + 1, first, Deferral.INITIALLY_DEFERRED),
                new IndexDef(
                    OID + 8,
                    "t_abs_idx",
                    SPACE + 2,
                    new int[] {-1, 0},
                    List.of(new KeyExpression("abs", "abs(a)", PgType.INT4)),
                    first,
                    new boolean[] {true, false},
                    new boolean[2],
                    true,
                    false,
                    Deferral.NOT_DEFERRABLE,
                    "a > 1")),
            List.of(new CheckDef(OID + 2, "t_a_check", "a > 0")),
            List.of(
                new ForeignKeyDef(
                    OID + 3,
                    "t_a_fkey",
                    OID,
                    first,
                    OID,
                    first,
                    0,
                    0,
                    Action.NO_ACTION,
                    Action.CASCADE,
                    Deferral.INITIALLY_IMMEDIATE)),
            List.of(),
            new TableStatistics(
                3,
                1,
                new ColumnStatistics[] {null},
                Map.of("abs(a)", new ColumnStatistics(0, -1, 4, new byte[0][])))));
  }
}
