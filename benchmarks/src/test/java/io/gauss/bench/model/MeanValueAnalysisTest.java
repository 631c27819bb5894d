package io.gauss.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Against closed forms (Lazowska and others, Quantitative System Performance, 1984). */
final class MeanValueAnalysisTest {
  private static final double EXACT = 1e-9;

  private static double throughput(List<Station> stations, int clients, double thinkMs) {
    return MeanValueAnalysis.solve(stations, clients, thinkMs).transactionsPerSecond();
  }

  private static Station one(double demandMs) {
    return new Station("one", 1, 1, demandMs);
  }

  @Test
  void aStationThatIsNeverIdleServesAsFastAsItCan() {
    MeanValueAnalysis.Result result = MeanValueAnalysis.solve(List.of(one(4)), 10, 0);
    assertEquals(250, result.transactionsPerSecond(), EXACT);
    assertEquals(40, result.responseMs(), EXACT);
  }

  /** M/M/1 with a fixed number of customers who think, also known as machine repairman. */
  @Test
  void clientsWhoThinkAtOneStationHaveErlangsClosedForm() {
    double service = 3;
    double think = 20;
    for (int clients : new int[] {1, 2, 5, 12, 40}) {
      double term = 1;
      double sum = 1;
      for (int k = 1; k <= clients; k++) {
        term *= (clients - k + 1) * service / think;
        sum += term;
      }
      double expected = 1000 * (1 - 1 / sum) / service;
      assertEquals(expected, throughput(List.of(one(service)), clients, think), 1e-6);
    }
  }

  @Test
  void balancedStationsShareTheClientsEvenly() {
    List<Station> three = List.of(one(5), one(5), one(5));
    for (int clients : new int[] {1, 4, 30}) {
      assertEquals(1000.0 * clients / (clients + 2) / 5, throughput(three, clients, 0), EXACT);
    }
  }

  @Test
  void alikeStationsAreAsSeparateOnes() {
    List<Station> separate = List.of(one(2), one(2), one(2), one(2), one(7));
    List<Station> together = List.of(new Station("four", 4, 1, 8), one(7));
    assertEquals(throughput(separate, 9, 11), throughput(together, 9, 11), EXACT);
  }

  @Test
  void throughputStaysWithinTheAsymptoticBounds() {
    List<Station> stations =
        List.of(one(3), new Station("four processors", 2, 4, 40), Station.delay("network", 6));
    double alone = 3 + 40 + 6;
    double slowest = 40.0 / 8;
    for (int clients = 1; clients <= 200; clients++) {
      double reached = throughput(stations, clients, 15);
      assertTrue(reached <= 1000 * clients / (alone + 15) + EXACT);
      assertTrue(reached <= 1000 / slowest + EXACT);
      assertTrue(reached >= 1000 * clients / (clients * alone + 15) - EXACT);
    }
    assertEquals(1000 / (alone + 15), throughput(stations, 1, 15), EXACT);
    assertEquals(1000 / slowest, throughput(stations, 2000, 15), 1);
  }

  /** M/M/c with a fixed number of customers: the approximation is off by less than a tenth. */
  @Test
  void severalProcessorsAreNearTheClosedForm() {
    double service = 8;
    double think = 30;
    int processors = 4;
    for (int clients : new int[] {1, 4, 10, 19, 30, 100}) {
      double term = 1;
      double sum = 1;
      double busy = 0;
      for (int k = 1; k <= clients; k++) {
        term *= (clients - k + 1) * service / think / Math.min(k, processors);
        sum += term;
        busy += Math.min(k, processors) * term;
      }
      double expected = 1000 * busy / sum / service;
      double reached =
          throughput(List.of(new Station("four", 1, processors, service)), clients, think);
      assertEquals(expected, reached, 0.1 * expected);
    }
  }
}
