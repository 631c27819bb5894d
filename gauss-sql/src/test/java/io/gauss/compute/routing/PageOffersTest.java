package io.gauss.compute.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.PageId;
import io.gauss.compute.routing.data.GroupOwners;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which pages are offered to whom, and what a node does with pages that it is offered. */
class PageOffersTest {
  private static final int SELF = 1;
  private static final int SPACE = 100;
  private static final long GROUP = PageGroups.of(page(64));
  private static final long NEXT_GROUP = PageGroups.of(page(128));
  private static final long SECOND = 1_000_000_000L;

  private final FakePages pool = new FakePages();
  private final PageOffers offers = new PageOffers();
  private final Set<Long> used = new HashSet<>(); // groups, here
  private long now;

  private static long page(int number) {
    return PageId.of(SPACE, number);
  }

  private static GroupOwners owners(Object... groupsAndSlots) {
    Map<Long, GroupOwners.Place> slots = new HashMap<>();
    for (int i = 0; i < groupsAndSlots.length; i += 2) {
      slots.put((Long) groupsAndSlots[i], new GroupOwners.Place((int) groupsAndSlots[i + 1], 0, 1));
    }
    return GroupOwners.of(slots);
  }

  private PageOffers.Use use(long hotAbove) {
    return (group, lsn) -> lsn > hotAbove || used.contains(group);
  }

  private static PageOffers.Takers all() {
    return new PageOffers.Takers(slot -> true, slot -> true);
  }

  private long[] offered(GroupOwners owners, int slot, long hotAbove, int most) {
    PageOffers.Batch batch =
        offers.choose(owners, SELF, all(), pool, use(hotAbove), most, now).get(slot);
    return batch == null
        ? new long[0]
        : IntStream.range(0, batch.size()).mapToLong(batch::page).toArray();
  }

  @Test
  void onlyPagesOfGroupsThatAnotherNodeIsToOwnAreOffered() {
    pool.owned.put(page(64), 5L);
    pool.owned.put(page(127), 5L);
    pool.owned.put(page(128), 5L);
    pool.owned.put(page(192), 5L);
    GroupOwners owners = owners(GROUP, 2, NEXT_GROUP, SELF);
    assertArrayEquals(new long[] {page(64), page(127)}, offered(owners, 2, 10, 100));
    assertTrue(
        offers
            .choose(
                owners,
                SELF,
                new PageOffers.Takers(slot -> slot != 2, slot -> slot != 2),
                pool,
                use(10),
                100,
                now)
            .isEmpty(),
        "who is not there is offered nothing");
  }

  @Test
  void whatWasJustWrittenStaysUntilItIsNotWrittenAnyMore() {
    pool.owned.put(page(64), 5L);
    pool.owned.put(page(65), 11L);
    GroupOwners owners = owners(GROUP, 2);
    assertArrayEquals(new long[] {page(64)}, offered(owners, 2, 10, 100));
    assertEquals(1, offers.staying());
    assertArrayEquals(new long[] {page(64), page(65)}, offered(owners, 2, 11, 100));
    assertEquals(0, offers.staying());
  }

  @Test
  void whatIsUsedHereStays() {
    pool.owned.put(page(64), 5L);
    pool.owned.put(page(128), 5L);
    used.add(GROUP);
    GroupOwners owners = owners(GROUP, 2, NEXT_GROUP, 2);
    assertArrayEquals(new long[] {page(128)}, offered(owners, 2, 10, 100));
    assertEquals(1, offers.staying());
  }

  /** As of one to which no transactions come, or that has not answered yet. */
  @Test
  void whatStaysIsCountedWhetherOrNotTheOtherNodeTakesPagesNow() {
    pool.owned.put(page(64), 5L);
    pool.owned.put(page(128), 5L);
    pool.owned.put(page(129), 11L);
    used.add(GROUP);
    GroupOwners owners = owners(GROUP, 2, NEXT_GROUP, 2);
    var takers = new PageOffers.Takers(slot -> true, slot -> false);
    assertTrue(offers.choose(owners, SELF, takers, pool, use(10), 100, now).isEmpty());
    assertEquals(2, offers.staying());
  }

  @Test
  void aPageThatCameBackIsNotSentToTheSameNodeAgainForAWhile() {
    pool.owned.put(page(64), 5L);
    pool.owned.put(page(65), 5L);
    GroupOwners owners = owners(GROUP, 2);
    var batches = offers.choose(owners, SELF, all(), pool, use(10), 100, now);
    offers.taken(2, batches.get(2), 1, now);
    assertArrayEquals(new long[] {page(65)}, offered(owners, 2, 10, 100), "the other was refused");
    assertArrayEquals(
        new long[] {page(64), page(65)},
        offered(owners(GROUP, 3), 3, 10, 100),
        "it may go to another node");
    now += PageOffers.REMEMBERED_NANOS + 1;
    assertArrayEquals(new long[] {page(64), page(65)}, offered(owners, 2, 10, 100));
  }

  @Test
  void oneOfferHasABoundedNumberOfPages() {
    for (int i = 0; i < 10; i++) {
      pool.owned.put(page(64 + i), 5L);
    }
    assertEquals(3, offered(owners(GROUP, 2), 2, 10, 3).length);
  }

  @Test
  void offeredPagesAreAskedForAtABoundedRateAndCountedWhenTheyHaveCome() {
    OfferedPages offered = new OfferedPages(pool, 100);
    assertEquals(4, offered.offer(new long[] {page(64), page(65), page(66), page(66)}));
    offered.turn(2, page -> true, now);
    assertEquals(Set.of(page(64), page(65)), pool.asked);
    pool.allCome();
    offered.turn(2, page -> true, now);
    assertEquals(Set.of(page(66)), pool.asked);
    assertEquals(2, offered.counts(0, 0, 0).placed());
    now += 6 * SECOND;
    offered.turn(2, page -> true, now);
    PlacementCounts counts = offered.counts(0, 0, 0);
    assertEquals(3, counts.asked());
    assertEquals(1, counts.failed());
    assertEquals(0, counts.refused());
  }

  @Test
  void whatTheNodeIsNotToOwnAnyMoreOrOwnsAlreadyIsNotAskedFor() {
    pool.owned.put(page(65), 5L);
    OfferedPages offered = new OfferedPages(pool, 100);
    offered.offer(new long[] {page(64), page(65), page(66)});
    offered.turn(100, page -> page != page(64), now);
    assertEquals(Set.of(page(66)), pool.asked);
  }

  @Test
  void aFullPoolTakesOnlyTheRightsToPagesThatItHas() {
    pool.room = 1;
    pool.copies.add(page(66));
    OfferedPages offered = new OfferedPages(pool, 100);
    assertEquals(1, offered.offer(new long[] {page(64), page(65)}));
    assertEquals(1, offered.offer(new long[] {page(66)}));
    offered.turn(100, page -> true, now);
    assertEquals(Set.of(page(64), page(66)), pool.asked);
    assertEquals(1, offered.counts(0, 0, 0).refused());
  }

  @Test
  void nothingIsTakenWhereNothingIsToBePlaced() {
    OfferedPages offered = new OfferedPages(pool, 0);
    assertEquals(0, offered.offer(new long[] {page(64)}));
    offered.turn(1, page -> true, now);
    assertFalse(pool.asked.contains(page(64)));
  }
}
