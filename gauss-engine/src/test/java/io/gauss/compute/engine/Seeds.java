package io.gauss.compute.engine;

/** Seeds of fuzz tests: from system property {@code gauss.seed}, otherwise new; always printed. */
public final class Seeds {
  private Seeds() {}

  public static long next() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    System.getLogger("seed").log(System.Logger.Level.INFO, "-Dgauss.seed=" + seed);
    return seed;
  }
}
