package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SessionKeysTest {
  @Test
  void aSlotIsReadFromTheNumbersOfItsSessions() {
    SessionKeys keys = new SessionKeys(63);
    assertTrue(keys.isOwn(630_000_017));
    assertFalse(keys.isOwn(620_000_017));
    assertFalse(keys.isOwn(17));
    assertEquals(2, SessionKeys.slotOf(20_000_017));
    assertEquals(63, SessionKeys.slotOf(639_999_999));
  }

  @Test
  void aNodeOnItsOwnHasSmallNumbers() {
    SessionKeys keys = new SessionKeys(0);
    assertTrue(keys.isOwn(1));
    assertTrue(keys.isOwn(9_999_999));
    assertFalse(keys.isOwn(10_000_001));
  }
}
