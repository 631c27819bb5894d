package io.gauss.bench.model;

import java.util.Arrays;
import java.util.List;

/**
 * Throughput and response time of a closed network: a fixed number of clients, each of which
 * thinks, runs a transaction, and thinks again. Exact for stations with one processor (Reiser and
 * Lavenberg, 1980); a station with c processors counts as one that is c times as fast, and a delay
 * of (c - 1) / c of the service (Seidmann and others, 1987).
 */
final class MeanValueAnalysis {
  /**
   * @param transactionsPerSecond throughput
   * @param responseMs mean time of a transaction without thinking
   * @param stationsMs the parts of it, by station
   */
  record Result(double transactionsPerSecond, double responseMs, List<Double> stationsMs) {}

  private MeanValueAnalysis() {}

  static Result solve(List<Station> stations, int clients, double thinkMs) {
    int size = stations.size();
    double[] served = new double[size]; // by what waits for others' service
    double[] passing = new double[size];
    for (int i = 0; i < size; i++) {
      Station station = stations.get(i);
      served[i] = station.isDelay() ? 0 : station.demandMs() / station.processors();
      passing[i] = Math.max(0, station.demandMs() - served[i]);
    }
    double[] queue = new double[size]; // at each of the alike
    double[] times = new double[size];
    double throughput = 0; // per ms
    double response = 0;
    for (int population = 1; population <= clients; population++) {
      response = 0;
      for (int i = 0; i < size; i++) {
        times[i] = served[i] * (1 + queue[i]);
        response += times[i] + passing[i];
      }
      throughput = population / (response + thinkMs);
      for (int i = 0; i < size; i++) {
        queue[i] = throughput * times[i] / stations.get(i).count();
      }
    }
    for (int i = 0; i < size; i++) {
      times[i] += passing[i];
    }
    return new Result(1000 * throughput, response, Arrays.stream(times).boxed().toList());
  }
}
