package io.gauss.server.routing;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Templates of which no transaction belongs to another node, as far as was seen, or going there
 * does not pay: most of them are not looked at any more, since reading values and computing scores
 * for each would be for nothing. As soon as one of the few that are still looked at is to go to
 * another node, all are again. Valid for one publication. Thread-safe; counts that get lost cost
 * nothing.
 */
final class StayingTemplates {
  /** Transactions in a row that stayed before most others are not looked at. */
  static final int ENOUGH = 256;

  /** One transaction in so many is still looked at. */
  static final int ONE_IN = 16;

  private static final int KEPT = 1024;

  /** A template is in one of so many places. */
  private static final int NEIGHBOURS = 8;

  /** A template whose place so many others have wanted since it came last, gives way. */
  private static final int STAYS_FOR = 16;

  private final AtomicReferenceArray<Row> rows = new AtomicReferenceArray<>(KEPT);

  /** Of one template. */
  private static final class Row {
    final long template;
    volatile int stayed;
    volatile int wanted; // its place, by others, since it came last

    Row(long template) {
      this.template = template;
    }
  }

  /**
   * Whether a transaction stays without being looked at.
   *
   * @param lot any number, drawn at random
   */
  boolean stays(long template, int lot) {
    Row row = find(template);
    return row != null && row.stayed >= ENOUGH && Math.floorMod(lot, ONE_IN) != 0;
  }

  /** A transaction was looked at. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // see above
  void looked(long template, boolean elsewhere) {
    Row row = find(template);
    if (row == null) {
      row = add(template);
    }
    if (row == null) {
      return; // all its places are taken by templates in use: it is looked at
    }
    if (row.wanted != 0) {
      row.wanted = 0;
    }
    if (elsewhere) {
      if (row.stayed != 0) {
        row.stayed = 0;
      }
    } else if (row.stayed < ENOUGH) {
      row.stayed++;
    }
  }

  private Row find(long template) {
    int home = place(template);
    for (int i = 0; i < NEIGHBOURS; i++) {
      Row there = rows.getAcquire((home + i) & (KEPT - 1));
      if (there != null && there.template == template) {
        return there;
      }
    }
    return null;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // as looked
  private Row add(long template) {
    int home = place(template);
    for (int i = 0; i < NEIGHBOURS; i++) {
      int place = (home + i) & (KEPT - 1);
      Row there = rows.getAcquire(place);
      if (there == null || ++there.wanted > STAYS_FOR) {
        Row added = new Row(template);
        rows.setRelease(place, added);
        return added;
      }
    }
    return null;
  }

  static int place(long template) {
    return (int) ((template * 0x9E3779B97F4A7C15L) >>> 40) & (KEPT - 1);
  }
}
