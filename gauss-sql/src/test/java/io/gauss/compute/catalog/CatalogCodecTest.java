package io.gauss.compute.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.catalog.TableDef.ForeignKeyDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class CatalogCodecTest {
  /** Table app.t with column a, its primary key, UNIQUE, CHECK and a foreign key. */
  private static final String TABLE_OF_VERSION_1 =
      "010100004011000000036170700000000174000000820000000100000001000000016100000017ffffffff01"
          + "ffffffff0000000000000000ffffffffffffffff000000010000000000000006745f706b6579000000"
          + "010000401200000007745f615f6b6579000000830000000100000000000000010000000001000101ff"
          + "ffffff000000010000401300000009745f615f636865636b0000000561203e20300000000100004014"
          + "00000008745f615f666b65790000401100000001000000000000401100000001000000000000000000"
          + "000000000200408f400000000000402400000000000000000000";

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
    // What is written again is of the present version, and longer by the index's deferral.
    byte[] again = CatalogCodec.encode(table);
    assertEquals(row.length + 1, again.length);
    assertEquals(CatalogCodec.VERSION, again[0]);
  }
}
