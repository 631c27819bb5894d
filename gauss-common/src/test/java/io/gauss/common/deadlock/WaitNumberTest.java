package io.gauss.common.deadlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Numbers of waiters and holders. */
class WaitNumberTest {
  @Test
  void aTransactionIsNeverTakenForALock() {
    long last = WaitNumber.first(63, Long.MAX_VALUE);
    assertFalse(WaitNumber.isLock(last));
    assertEquals(63, WaitNumber.slot(last));
    assertFalse(WaitNumber.isLock(WaitNumber.next(last)));
  }

  @Test
  void aLockHasANumberForEachNodeAndMode() {
    long number = WaitNumber.ofLock(63, -1, 15);
    assertTrue(WaitNumber.isLock(number));
    assertEquals(63, WaitNumber.slot(number));
    assertNotEquals(number, WaitNumber.ofLock(62, -1, 15));
    assertNotEquals(number, WaitNumber.ofLock(63, -2, 15));
    assertNotEquals(number, WaitNumber.ofLock(63, -1, 14));
  }

  @Test
  void advisoryLocksHaveNumbersOfTheirOwn() {
    long number = WaitNumber.ofAdvisory(63, -1, 15);
    assertEquals(63, WaitNumber.slot(number));
    assertTrue(WaitNumber.isLock(number));
    assertTrue(WaitNumber.isAdvisory(number));
    assertFalse(WaitNumber.isAdvisory(WaitNumber.ofLock(63, -1, 15)));
    assertFalse(WaitNumber.isAdvisory(WaitNumber.first(63, -1)));
    assertNotEquals(number, WaitNumber.ofAdvisory(63, -1, 5));
    assertNotEquals(number, WaitNumber.ofAdvisory(63, -1 ^ 1L << 51, 15));
    assertNotEquals(number, WaitNumber.ofAdvisory(62, -1, 15));
  }
}
