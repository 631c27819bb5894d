package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.common.page.PageType;
import io.gauss.common.page.SlottedPage;
import io.gauss.compute.engine.TestEngine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.space.SystemSpaces;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages go ahead of transactions that follow what is published, and not away from others. */
class PlacementFollowsTest {
  private static final long GROUP = 7;
  private static final int READER = 11; // a role

  private long nanos;
  private final AccessSampling sampling = new AccessSampling(() -> 1, 1, () -> nanos, () -> 0, 7);
  private final TestEngine engine = new TestEngine(64);
  private final TransactionSampler session = sampling.session(engine.newContext());
  private final PagePlacement placement =
      new PagePlacement(new FakePages(), PeerNodes.NONE, sampling, () -> 0, () -> nanos, 1000);

  @AfterEach
  void close() {
    session.close();
    engine.close();
  }

  private static void run(TransactionSampler sampler) {
    sampler.begun();
    sampler.ended(true);
  }

  /** How many of two pages the node takes that it is offered. */
  private int taken() {
    return placement.take(new long[] {PageId.of(100, 64), PageId.of(100, 65)});
  }

  private void second() {
    nanos += TimeUnit.SECONDS.toNanos(1);
    sampling.adapt();
  }

  @Test
  void aNodeWithoutTransactionsThatFollowTakesNoPages() {
    assertFalse(sampling.isFollowed());
    for (RoutingMode mode : List.of(RoutingMode.OFF, RoutingMode.STICKY, RoutingMode.RANDOM)) {
      session.mode(mode);
      run(session);
      second();
      assertFalse(sampling.isFollowed(), mode::label);
      assertEquals(0, taken(), mode::label);
    }
  }

  @Test
  void aNodeTakesPagesWhileTransactionsFollow() {
    for (RoutingMode mode : List.of(RoutingMode.MODEL, RoutingMode.TABLE)) {
      session.mode(mode);
      run(session);
      second();
      assertTrue(sampling.isFollowed(), mode::label);
      assertEquals(2, taken(), mode::label);
      nanos += AccessSampling.FOLLOWED_NANOS + 1;
      sampling.adapt();
      assertFalse(sampling.isFollowed(), "none since");
      assertEquals(0, taken());
    }
  }

  @Test
  void transactionsThatOtherNodesForwardFollow() {
    session.serveOther();
    run(session);
    second();
    assertTrue(sampling.isFollowed());
  }

  /** Its driver chooses as if nothing had been learned. */
  @Test
  void aRoleThatSeesNothingOfWhatIsPublishedFollowsNothing() {
    Set<Integer> readers = new HashSet<>();
    sampling.seenBy(readers::contains);
    EngineContext context = engine.newContext();
    TransactionSampler other = sampling.session(context);
    other.role(READER);
    other.mode(RoutingMode.MODEL);
    run(other);
    second();
    assertFalse(sampling.isFollowed());
    assertEquals(0, taken());
    long page = PageId.of(SystemSpaces.FIRST_USER, 64);
    other.begun();
    assertTrue(other.wantsStatement(), "at this rate all are watched");
    touches(other, context, page);
    assertTrue(isUsed(PageGroups.of(page)), "its pages stay with it");
    other.close();
    second();
    assertFalse(sampling.isFollowed(), "nor when it has ended");
    readers.add(READER);
    try (TransactionSampler granted = sampling.session(engine.newContext())) {
      granted.role(READER);
      granted.mode(RoutingMode.MODEL);
      run(granted);
      second();
      assertTrue(sampling.isFollowed(), "now that it may see it");
    }
  }

  /** What its sessions have run before was not chosen by what it may see from now on. */
  @Test
  void aRoleThatMaySeeItNowHasNotFollowedItBefore() {
    Set<Integer> readers = new HashSet<>();
    sampling.seenBy(readers::contains);
    TransactionSampler ended = sampling.session(engine.newContext());
    try (TransactionSampler open = sampling.session(engine.newContext())) {
      for (TransactionSampler each : List.of(ended, open)) {
        each.role(READER);
        each.mode(RoutingMode.MODEL);
        run(each);
        run(each);
      }
      ended.close();
      second();
      assertFalse(sampling.isFollowed());
      readers.add(READER);
      second();
      assertFalse(sampling.isFollowed(), "nothing has run since");
      run(open);
      second();
      assertTrue(sampling.isFollowed());
    }
  }

  @Test
  void aSessionThatChoosesFromNowOnHasNotChosenBefore() {
    run(session);
    run(session);
    second();
    session.mode(RoutingMode.MODEL);
    second();
    assertFalse(sampling.isFollowed());
    run(session);
    second();
    assertTrue(sampling.isFollowed());
    session.mode(RoutingMode.OFF);
    nanos += AccessSampling.FOLLOWED_NANOS;
    run(session);
    second();
    assertFalse(sampling.isFollowed());
  }

  /** As of applications that connect for each transaction. */
  @Test
  void sessionsThatHaveEndedCount() {
    TransactionSampler other = sampling.session(engine.newContext());
    other.mode(RoutingMode.MODEL);
    run(other);
    other.close();
    second();
    assertTrue(sampling.isFollowed());
    nanos += AccessSampling.FOLLOWED_NANOS + 1;
    sampling.adapt();
    assertFalse(sampling.isFollowed());
  }

  /** A role of which nothing is there at times is forgotten, and counted anew. */
  @Test
  void aTransactionNowAndThenByASessionOfItsOwnCounts() {
    for (int i = 0; i < 30; i++) {
      TransactionSampler other = sampling.session(engine.newContext());
      other.role(READER);
      other.mode(RoutingMode.MODEL);
      run(other);
      other.close();
      second();
      assertTrue(sampling.isFollowed(), "after " + i);
      second();
    }
  }

  private boolean isUsed(long group) {
    return sampling.usedByOthers().test(group);
  }

  private static AccessSample sample(boolean isComplete) {
    long[] groups = {GROUP};
    return new AccessSample(
        1,
        0,
        RoutingMode.OFF,
        true,
        "",
        List.of(),
        groups,
        groups,
        new long[0],
        1,
        1,
        1,
        0,
        isComplete,
        0,
        new int[0]);
  }

  /** The watched transaction touches a page of a table, and ends. */
  private static void touches(TransactionSampler sampler, EngineContext context, long page) {
    sampler.statement("SELECT", new PgType[0], new Value[0], new int[0]);
    try (Arena arena = Arena.ofConfined()) {
      long address = Memory.allocate(arena, PageLayout.PAGE_BYTES, 64);
      SlottedPage.format(address, PageType.TREE, 0, 0, page, 1);
      assertTrue(context.pages().countHit());
      context.pages().reportHit(page, address, true);
    }
    sampler.ended(true);
  }

  /** One in sixteen of those that belong elsewhere: its pages would never leave. */
  @Test
  void aTransactionThatIsHereToBeComparedKeepsNothing() {
    EngineContext context = engine.newContext();
    try (TransactionSampler compared = sampling.session(context)) {
      long page = PageId.of(SystemSpaces.FIRST_USER, 64);
      compared.compares();
      compared.begun();
      assertTrue(compared.wantsStatement(), "at this rate all are watched");
      touches(compared, context, page);
      assertFalse(isUsed(PageGroups.of(page)));
      compared.begun();
      assertTrue(compared.wantsStatement());
      touches(compared, context, page);
      assertTrue(isUsed(PageGroups.of(page)), "the next one is not compared");
    }
  }

  @Test
  void whatOthersUseHereStaysAsLongAsTheyDo() {
    sampling.add(true, sample(true));
    assertFalse(isUsed(GROUP), "it goes where the pages are");
    sampling.add(false, sample(false));
    assertFalse(isUsed(GROUP), "it reads all of a table");
    sampling.add(false, sample(true));
    assertTrue(isUsed(GROUP));
    assertFalse(isUsed(GROUP + 1));
    nanos += StayingGroups.REMEMBERED_NANOS;
    assertFalse(isUsed(GROUP));
  }

  @Test
  void whereNothingIsSampledEverythingMayBeUsed() {
    AccessSampling none = new AccessSampling(() -> 1, 0, () -> nanos, () -> 0, 7);
    assertTrue(none.usedByOthers().test(GROUP));
  }

  @Test
  void whatIsUsedAgainAndAgainStaysLonger() {
    for (int use = 0; use < 20; use++) {
      sampling.add(false, sample(true));
    }
    nanos += StayingGroups.LONGEST_NANOS - 1;
    assertTrue(isUsed(GROUP));
    nanos++;
    assertFalse(isUsed(GROUP));
  }

  @Test
  void aBoundedNumberOfGroupsIsRemembered() {
    StayingGroups groups = new StayingGroups(2);
    groups.use(new long[] {1, 2}, 0);
    groups.use(new long[] {1, 3}, 0);
    assertEquals(
        List.of(true, true, false),
        List.of(groups.contains(1, 1), groups.contains(2, 1), groups.contains(3, 1)));
    long later = StayingGroups.REMEMBERED_NANOS + 1; // the second one is forgotten
    groups.use(new long[] {3}, later);
    assertEquals(
        List.of(true, false, true),
        List.of(groups.contains(1, later), groups.contains(2, later), groups.contains(3, later)));
  }
}
