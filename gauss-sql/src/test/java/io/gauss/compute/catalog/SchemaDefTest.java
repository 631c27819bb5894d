package io.gauss.compute.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SchemaDefTest {
  @Test
  void aTemporarySchemaTellsWhoseItIs() {
    assertEquals("pg_temp_5", SchemaDef.temporary(1, 5));
    assertEquals(1, SchemaDef.temporarySlot("pg_temp_5"));
    assertEquals("pg_temp_63_5", SchemaDef.temporary(63, 5));
    assertEquals(63, SchemaDef.temporarySlot("pg_temp_63_5"));
    assertTrue(SchemaDef.isTemporary("pg_temp_63_5"));
  }
}
