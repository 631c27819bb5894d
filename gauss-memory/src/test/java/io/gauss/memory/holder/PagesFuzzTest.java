package io.gauss.memory.holder;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.memory.holder.PagesFuzz.Faults;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Homes and holders that serve, with random steps and messages in every order that sessions allow.
 * {@code -Dgauss.seed} repeats a failed seed.
 */
class PagesFuzzTest {
  private static final int STEPS = 60_000;

  private static PagesFuzz fuzz(Faults faults) {
    return new PagesFuzz(Long.getLong("gauss.seed", System.nanoTime()), faults);
  }

  private static void run(Faults faults) {
    try (PagesFuzz fuzz = fuzz(faults)) {
      try {
        fuzz.run(STEPS);
        fuzz.settle();
        fuzz.check();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(fuzz.toString(), e);
      }
    }
  }

  @RepeatedTest(5)
  void everyWriteIsKeptAndEveryReaderSeesTheNewest() {
    run(new Faults(0, 0));
  }

  @RepeatedTest(5)
  void alsoWhenBucketsMoveAndHomesAreLost() {
    run(new Faults(0, 40));
  }

  @RepeatedTest(5)
  void alsoWhenComputeNodesDie() {
    run(new Faults(20, 0));
  }

  @RepeatedTest(5)
  void alsoWhenBothHappen() {
    run(new Faults(20, 40));
  }

  @RepeatedTest(5)
  void alsoWhenHomesAreLostAllTheTime() {
    run(new Faults(0, 2000));
  }

  @RepeatedTest(5)
  void alsoWhenDirectoriesAreTooSmallAndBytesArriveSpoiled() {
    run(new Faults(20, 40, 20, 7));
  }

  @RepeatedTest(1000)
  @Tag("long")
  void alsoWithAThousandSeedsAndDirectoriesThatAreTooSmall() {
    run(new Faults(20, 40, 20, 7));
  }

  @RepeatedTest(1000)
  @Tag("long")
  void alsoWithAThousandSeeds() {
    run(new Faults(20, 40));
  }

  /** Of one seed: how much there is of it differs from seed to seed, and is little now and then. */
  @Test
  void thereIsWorkInIt() {
    long seed = Long.getLong("gauss.seed", 1);
    try (PagesFuzz fuzz = new PagesFuzz(seed, new Faults(20, 40))) {
      fuzz.run(STEPS);
      assertTrue(fuzz.writes() > 500, fuzz::toString);
      assertTrue(fuzz.reads() > 500, fuzz::toString);
      assertTrue(fuzz.deaths() > 3, fuzz::toString);
    }
    try (PagesFuzz fuzz = new PagesFuzz(seed, new Faults(20, 40, 20, 7))) {
      fuzz.run(STEPS);
      assertTrue(fuzz.shut() > 256, fuzz::toString);
    }
  }
}
