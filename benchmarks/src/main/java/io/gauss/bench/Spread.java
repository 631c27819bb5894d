package io.gauss.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * A figure that was measured several times.
 *
 * @param median the middle value, or the mean of the two in the middle when their number is even
 */
public record Spread(double median, double least, double most) {
  /** Of values, of which those that are no numbers are left out; empty when nothing is left. */
  public static Optional<Spread> of(DoubleStream values) {
    double[] sorted = values.filter(Double::isFinite).toArray();
    Arrays.sort(sorted);
    if (sorted.length == 0) {
      return Optional.empty();
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return Optional.of(new Spread(median, sorted[0], sorted[sorted.length - 1]));
  }

  /** As {@code median (least to most)}. */
  public String shown(int decimals) {
    return shown("%." + decimals + "f");
  }

  /** The same of a change, with signs. */
  String shownAsChange(int decimals) {
    return shown("%+." + decimals + "f");
  }

  private String shown(String number) {
    return String.format(
        Locale.ROOT, number + " (" + number + " to " + number + ")", median, least, most);
  }
}
