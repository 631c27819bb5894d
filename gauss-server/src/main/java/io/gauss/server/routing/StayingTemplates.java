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

  private final AtomicReferenceArray<Row> rows = new AtomicReferenceArray<>(KEPT);

  /** Of one template. */
  private static final class Row {
    final long template;
    volatile int stayed;

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
    Row row = rows.getAcquire(place(template));
    return row != null
        && row.template == template
        && row.stayed >= ENOUGH
        && Math.floorMod(lot, ONE_IN) != 0;
  }

  /** A transaction was looked at. Two templates in one place displace each other. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // see above
  void looked(long template, boolean elsewhere) {
    int place = place(template);
    Row row = rows.getAcquire(place);
    if (row == null || row.template != template) {
      row = new Row(template);
      rows.setRelease(place, row);
    }
    if (elsewhere) {
      if (row.stayed != 0) {
        row.stayed = 0;
      }
    } else if (row.stayed < ENOUGH) {
      row.stayed++;
    }
  }

  private static int place(long template) {
    return (int) ((template * 0x9E3779B97F4A7C15L) >>> 40) & (KEPT - 1);
  }
}
