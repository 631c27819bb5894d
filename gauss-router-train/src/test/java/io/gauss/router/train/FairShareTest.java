package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class FairShareTest {
  /** Numbers whose hundreds are roles. */
  private static List<Integer> best(int most, Integer... inOrder) {
    return FairShare.best(List.of(inOrder), each -> each / 100, most);
  }

  @Test
  void whereThereIsRoomAllStay() {
    assertEquals(List.of(101, 102, 201), best(3, 101, 102, 201));
  }

  @Test
  void theFirstOfEachRoleStay() {
    assertEquals(List.of(101, 102, 201, 202), best(4, 101, 102, 103, 104, 105, 201, 202, 203));
  }

  @Test
  void whatARoleDoesNotNeedIsForTheOthers() {
    assertEquals(List.of(101, 102, 103, 201), best(4, 101, 102, 103, 104, 105, 201));
    assertEquals(List.of(101, 102, 201, 301, 302), best(5, 101, 102, 103, 104, 201, 301, 302, 303));
  }

  @Test
  void aRoleAloneHasAllOfIt() {
    assertEquals(List.of(101, 102), best(2, 101, 102, 103));
  }
}
