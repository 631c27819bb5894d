package io.gauss.bench.tpcc;

import java.util.SplittableRandom;

/** Random values as TPC-C 5.11, clause 2.1.6 and 4.3, asks for. Not thread-safe. */
final class TpccRandom {
  private static final String[] SYLLABLES = {
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"
  };
  private static final String LETTERS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

  /** Run constants of NURand; those of load and run differ as clause 2.1.6.1 asks for. */
  private static final int C_LAST_LOAD = 157;

  private static final int C_LAST_RUN = 223;
  private static final int C_CUSTOMER = 987;
  private static final int C_ITEM = 5987;

  private final SplittableRandom random;
  private final int items;

  TpccRandom(SplittableRandom random) {
    this(random, TpccScale.ITEMS);
  }

  /**
   * @param items that there are
   */
  TpccRandom(SplittableRandom random, int items) {
    this.random = random;
    this.items = items;
  }

  int uniform(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  boolean percent(int chance) {
    return random.nextInt(100) < chance;
  }

  private int nonUniform(int a, int c, int low, int high) {
    return (((uniform(0, a) | uniform(low, high)) + c) % (high - low + 1)) + low;
  }

  int customerId() {
    return nonUniform(1023, C_CUSTOMER, 1, TpccScale.CUSTOMERS);
  }

  int items() {
    return items;
  }

  int itemId() {
    return nonUniform(8191, C_ITEM, 1, items);
  }

  String lastNameForRun() {
    return lastName(nonUniform(255, C_LAST_RUN, 0, 999));
  }

  String lastNameForLoad(int customer) {
    return lastName(customer <= 1000 ? customer - 1 : nonUniform(255, C_LAST_LOAD, 0, 999));
  }

  private static String lastName(int number) {
    return SYLLABLES[number / 100] + SYLLABLES[number / 10 % 10] + SYLLABLES[number % 10];
  }

  String letters(int low, int high) {
    int length = uniform(low, high);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return text.toString();
  }

  String digits(int low, int high) {
    int length = uniform(low, high);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('0' + random.nextInt(10)));
    }
    return text.toString();
  }

  String zip() {
    return digits(4, 4) + "11111";
  }

  /** Item and stock data, a tenth of which holds ORIGINAL somewhere. */
  String data() {
    String text = letters(26, 50);
    if (!percent(10)) {
      return text;
    }
    int at = uniform(0, text.length() - 8);
    return text.substring(0, at) + "ORIGINAL" + text.substring(at + 8);
  }

  int[] permutation(int size) {
    int[] values = new int[size];
    for (int i = 0; i < size; i++) {
      int j = random.nextInt(i + 1);
      values[i] = values[j];
      values[j] = i + 1;
    }
    return values;
  }
}
