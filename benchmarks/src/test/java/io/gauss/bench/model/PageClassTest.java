package io.gauss.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PageClassTest {
  private static final int ACCESSES = 400_000;

  /** A page, its owner and the nodes that have a copy, access by access. */
  @ParameterizedTest
  @CsvSource({"2, 0.1, 0.3", "3, 0.02, 0.9", "8, 0.2, 0.5", "5, 0.8, 0.1"})
  void transfersAreThoseOfASimulatedPage(int nodes, double remote, double written) {
    SplittableRandom random = new SplittableRandom(nodes);
    int owner = 0;
    BitSet copies = new BitSet();
    int transfers = 0;
    for (int i = 0; i < ACCESSES; i++) {
      int node = random.nextDouble() < remote ? 1 + random.nextInt(nodes - 1) : 0;
      if (random.nextDouble() < written) {
        transfers += node == owner ? 0 : 1;
        owner = node;
        copies.clear();
      } else if (node != owner && !copies.get(node)) {
        transfers++;
        copies.set(node);
      }
    }
    double measured = (double) transfers / ACCESSES;
    double predicted = new PageClass("", 1 - written, written, remote).transfers(nodes, 0);
    assertEquals(measured, predicted, 0.02 * measured + 0.001);
  }

  @Test
  void aWriteFromAnyNodeComesFromAnotherThanTheLast() {
    assertEquals(0.75, new PageClass("", 0, 1, 0).transfers(4, 0.75), 1e-9);
    assertEquals(0, new PageClass("", 0, 1, 0).transfers(4, 0));
    assertEquals(0, new PageClass("", 0, 1, 0.5).transfers(1, 0));
  }

  @Test
  void whatIsOnlyReadComesOnce() {
    assertEquals(0, new PageClass("", 5, 0, 0).transfers(3, 2.0 / 3));
  }
}
