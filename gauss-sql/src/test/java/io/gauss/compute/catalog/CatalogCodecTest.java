package io.gauss.compute.catalog;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.catalog.TableStatistics.ColumnStatistics;
import io.gauss.compute.type.PgType;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CatalogCodecTest {
  /** The same table of version 2: the index's deferral is the last of the three values. */
  private static final String TABLE_OF_VERSION_2 =
      "020100004011000000036170700000000174000000820000000100000001000000016100000017ffffffff01"
          + "ffffffff0000000000000000ffffffffffffffff000000010000000000000006745f706b6579000000"
          + "010000401200000007745f615f6b657900000083000000010000000000000001000000000100010002"
          + "ffffffff000000010000401300000009745f615f636865636b0000000561203e203000000001000040"
          + "1400000008745f615f666b657900004011000000010000000000004011000000010000000000000000"
          + "00000000000200408f400000000000402400000000000000000000";

  /** Table app.t with column a, its primary key, UNIQUE, CHECK and a foreign key. */
  private static final String TABLE_OF_VERSION_1 =
      "010100004011000000036170700000000174000000820000000100000001000000016100000017ffffffff01"
          + "ffffffff0000000000000000ffffffffffffffff000000010000000000000006745f706b6579000000"
          + "010000401200000007745f615f6b6579000000830000000100000000000000010000000001000101ff"
          + "ffffff000000010000401300000009745f615f636865636b0000000561203e20300000000100004014"
          + "00000008745f615f666b65790000401100000001000000000000401100000001000000000000000000"
          + "000000000200408f400000000000402400000000000000000000";

  @Test
  void aTableOfVersion2IsReadAndHasNoExpressions() {
    byte[] row = HexFormat.of().parseHex(TABLE_OF_VERSION_2);
    TableDef table = (TableDef) CatalogCodec.decode(row, row.length);
    IndexDef index = table.indexes().getFirst();
    assertEquals("t_a_key", index.name());
    assertEquals(Deferral.INITIALLY_DEFERRED, index.deferral());
    assertEquals(List.of(), index.expressions());
    assertEquals(0, index.included().length);
    assertEquals("t_a_fkey", table.foreignKeys().getFirst().name());
    assertEquals(TableStatistics.UNKNOWN, table.statistics());
  }

  @Test
  void expressionsAndTheirStatisticsAreKept() {
    TableDef table = (TableDef) decoded(HexFormat.of().parseHex(TABLE_OF_VERSION_2));
    KeyExpression lower = new KeyExpression("lower", "lower(b)", PgType.TEXT);
    IndexDef index =
        new IndexDef(
            7,
            "i",
            8,
            new int[] {-1, 0},
            List.of(lower),
            new int[] {0},
            new boolean[2],
            new boolean[2],
            true,
            false,
            Deferral.NOT_DEFERRABLE,
            null);
    ColumnStatistics values = new ColumnStatistics(0.5, 3, 4, new byte[][] {{1}, {2}});
    TableDef read =
        (TableDef)
            decoded(
                CatalogCodec.encode(
                    new TableDef(
                        table.oid(),
                        table.schema(),
                        table.name(),
                        table.space(),
                        table.columns(),
                        table.primaryKey(),
                        table.primaryKeyName(),
                        List.of(index),
                        table.checks(),
                        table.foreignKeys(),
                        List.of(),
                        new TableStatistics(
                            5, 6, new ColumnStatistics[0], Map.of("lower(b)", values)))));
    IndexDef again = read.indexes().getFirst();
    assertEquals(lower, again.expression(0));
    assertNull(again.expression(1));
    assertArrayEquals(new int[] {-1, 0}, again.columns());
    assertArrayEquals(new int[] {0}, again.included());
    ColumnStatistics kept = read.statistics().of(0, lower);
    assertEquals(3, kept.distinct());
    assertArrayEquals(values.histogram(), kept.histogram());
  }

  private static CatalogObject decoded(byte[] row) {
    return CatalogCodec.decode(row, row.length);
  }

  @Test
  void aTableOfVersion1IsReadAndHasNothingDeferrable() {
    byte[] row = HexFormat.of().parseHex(TABLE_OF_VERSION_1);
    TableDef table = (TableDef) CatalogCodec.decode(row, row.length);
    assertEquals("app.t", table.schema() + "." + table.name());
    IndexDef index = table.indexes().getFirst();
    assertEquals("t_a_key", index.name());
    assertTrue(index.unique() && index.constraint());
    assertEquals(Deferral.NOT_DEFERRABLE, index.deferral());
    ForeignKeyDef key = table.foreignKeys().getFirst();
    assertEquals("t_a_fkey " + Action.CASCADE, key.name() + " " + key.onDelete());
    assertEquals(Deferral.NOT_DEFERRABLE, key.deferral());
    assertEquals(List.of(), index.expressions());
    assertEquals(0, index.included().length);
    // What is written again is of the present version, and longer by the index's deferral and by
    // the lengths of three lists: expressions, included columns, statistics of expressions.
    byte[] again = CatalogCodec.encode(table);
    assertEquals(row.length + 1 + 3 * 4, again.length);
    assertEquals(CatalogCodec.VERSION, again[0]);
  }
}
