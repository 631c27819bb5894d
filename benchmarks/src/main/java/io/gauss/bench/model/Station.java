package io.gauss.bench.model;

/**
 * One of the places where a transaction spends time.
 *
 * @param name for users
 * @param count how many alike there are, over which transactions are spread evenly
 * @param processors of each, which serve one transaction each; 0 for a delay without waiting
 * @param demandMs time of service of a transaction at all of them together
 */
record Station(String name, int count, double processors, double demandMs) {
  /** Time that passes without anything being busy. */
  static Station delay(String name, double ms) {
    return new Station(name, 1, 0, ms);
  }

  /** Whether it is that of a hot spot. */
  boolean is(HotSpot spot) {
    return name.equals(spot.name());
  }

  boolean isDelay() {
    return processors == 0;
  }

  /** Share of the time in which its processors are busy. */
  double utilisation(double transactionsPerSecond) {
    return isDelay() ? 0 : transactionsPerSecond * demandMs / 1000 / (count * processors);
  }
}
