package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import org.junit.jupiter.api.Test;

class PortalsTest {
  private static final int BOUND = 1 << 20;

  private final ClientMemory memory = new ClientMemory(BOUND, BOUND);
  private final Portals portals = new Portals(memory.open());

  @Test
  void roomThatIsRefusedIsNotTaken() {
    Portal portal = portals.fresh("", 0);
    assertThrows(GaussException.class, () -> portals.makeRoom(portal, BOUND));
    assertEquals(0, portal.parameterBytes.length);
    assertEquals(0, memory.taken());
  }

  @Test
  void whatAFailedBindingHasTakenIsGivenBack() {
    for (String name : new String[] {"", "named", ""}) {
      Portal portal = portals.fresh(name, 0);
      portals.makeRoom(portal, BOUND / 4);
      assertEquals(portal.weight(), memory.taken());
      portals.discard(portal);
      assertEquals(0, portal.parameterBytes.length);
      assertEquals(0, memory.taken());
    }
  }

  @Test
  void aPortalIsCountedUntilItIsClosed() {
    Portal portal = portals.fresh("named", 0);
    portals.makeRoom(portal, BOUND / 4);
    portal.ensureParameters(100);
    portals.add(portal);
    assertEquals(portal.weight(), memory.taken());
    portals.close("named");
    assertEquals(0, memory.taken());
  }
}
