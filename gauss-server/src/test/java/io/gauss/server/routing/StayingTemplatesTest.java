package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which templates' transactions are hardly looked at. */
class StayingTemplatesTest {
  private static final int DRAWN = 0;
  private static final int NOT_DRAWN = 1;

  private final StayingTemplates templates = new StayingTemplates();

  @Test
  void oneStaysWhenItHasStayedOftenEnoughAndUntilItIsToGo() {
    for (int i = 0; i < StayingTemplates.ENOUGH; i++) {
      assertFalse(templates.stays(7, NOT_DRAWN));
      templates.looked(7, false);
    }
    assertTrue(templates.stays(7, NOT_DRAWN));
    assertFalse(templates.stays(7, DRAWN), "a few are looked at");
    assertFalse(templates.stays(8, NOT_DRAWN));
    templates.looked(7, true);
    assertFalse(templates.stays(7, NOT_DRAWN));
  }

  @Test
  void templatesThatMeetInOnePlaceAreBothKnown() {
    long other = withSamePlace(7);
    for (int i = 0; i < StayingTemplates.ENOUGH; i++) {
      templates.looked(7, false);
      templates.looked(other, false);
    }
    assertTrue(templates.stays(7, NOT_DRAWN));
    assertTrue(templates.stays(other, NOT_DRAWN));
  }

  @Test
  void whatDoesNotComeAnyMoreGivesWay() {
    long template = 7;
    for (int i = 0; i < 20; i++) {
      templates.looked(template, false);
      template = withSamePlace(template);
    }
    for (int i = 0; i < 2 * StayingTemplates.ENOUGH; i++) {
      templates.looked(template, false);
    }
    assertTrue(templates.stays(template, NOT_DRAWN));
  }

  private static long withSamePlace(long as) {
    long template = as;
    do {
      template++;
    } while (StayingTemplates.place(template) != StayingTemplates.place(as));
    return template;
  }
}
