package io.gauss.common.explore;

/**
 * Mixes the small numbers of a model's state into a hash. The hash codes of records and lists give
 * most states of a model the same few values.
 */
public final class Mixing {
  private long mixed;

  public Mixing add(long number) {
    mixed = (mixed ^ number) * 0x9E3779B97F4A7C15L;
    mixed ^= mixed >>> 29;
    return this;
  }

  public Mixing add(boolean bit) {
    return add(bit ? 1 : 2);
  }

  public Mixing addAll(Iterable<Integer> numbers) {
    if (numbers == null) {
      return add(-2);
    }
    for (int number : numbers) {
      add(number);
    }
    return add(-1);
  }

  public int hash() {
    return (int) (mixed ^ (mixed >>> 32));
  }
}
