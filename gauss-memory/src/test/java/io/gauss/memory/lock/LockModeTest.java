package io.gauss.memory.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** The modes' conflicts, as PostgreSQL's manual has them (table 13.2). */
class LockModeTest {
  @Test
  void modesConflictAsInPostgres() {
    String[] table = {
      ".......X", // ACCESS SHARE
      "......XX", // ROW SHARE
      "....XXXX", // ROW EXCLUSIVE
      "...XXXXX", // SHARE UPDATE EXCLUSIVE
      "..XX.XXX", // SHARE
      "..XXXXXX", // SHARE ROW EXCLUSIVE
      ".XXXXXXX", // EXCLUSIVE
      "XXXXXXXX" // ACCESS EXCLUSIVE
    };
    for (LockMode one : LockMode.values()) {
      for (LockMode other : LockMode.values()) {
        boolean expected = table[one.ordinal()].charAt(other.ordinal()) == 'X';
        assertEquals(expected, one.conflictsWith(other), one + " and " + other);
        assertEquals(one.conflictsWith(other), other.conflictsWith(one));
      }
    }
  }

  @Test
  void numbersArePostgresAndUnknownOnesAreRefused() {
    for (LockMode mode : LockMode.values()) {
      assertEquals(mode, LockMode.of(mode.id()));
    }
    assertEquals(8, LockMode.ACCESS_EXCLUSIVE.id());
    assertThrows(IllegalArgumentException.class, () -> LockMode.of(0));
    assertThrows(IllegalArgumentException.class, () -> LockMode.of(9));
  }
}
