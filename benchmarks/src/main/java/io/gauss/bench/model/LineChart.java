package io.gauss.bench.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines over numbers of nodes as SVG. Both axes are logarithmic, so that what doubles with the
 * nodes is a straight line.
 */
final class LineChart {
  private static final int WIDTH = 820;
  private static final int HEIGHT = 420;
  private static final int LEFT = 80;
  private static final int RIGHT = 290;
  private static final int TOP = 44;
  private static final int BOTTOM = 56;
  private static final int LEGEND_STEP = 22;

  /** Okabe and Ito's colours, which people who see few colours can tell apart. */
  private static final List<String> COLOURS =
      List.of(
          "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#777777");

  /**
   * A line.
   *
   * @param values one for each position on the x axis, above 0
   * @param dashed for what is only there to compare with
   */
  record Line(String name, List<Double> values, boolean dashed) {}

  private final String title;
  private final String xTitle;
  private final String yTitle;
  private final List<Integer> xs;
  private final List<Line> lines = new ArrayList<>();

  LineChart(String title, String xTitle, String yTitle, List<Integer> xs) {
    this.title = title;
    this.xTitle = xTitle;
    this.yTitle = yTitle;
    this.xs = xs;
  }

  LineChart add(Line line) {
    lines.add(line);
    return this;
  }

  /** The picture. */
  String svg() {
    double low = extreme(true);
    double high = extreme(false);
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"".formatted(WIDTH, HEIGHT));
    svg.append(" font-family=\"sans-serif\" font-size=\"13\">\n");
    svg.append("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n".formatted(WIDTH, HEIGHT));
    text(svg, LEFT, TOP - 20, "start", title, "font-weight=\"bold\"");
    grid(svg, low, high);
    for (int i = 0; i < lines.size(); i++) {
      line(svg, i, low, high);
    }
    return svg.append("</svg>\n").toString();
  }

  private double extreme(boolean lowest) {
    var values = lines.stream().flatMap(line -> line.values().stream());
    return lowest
        ? values.mapToDouble(Double::doubleValue).min().orElseThrow() / 1.2
        : values.mapToDouble(Double::doubleValue).max().orElseThrow() * 1.2;
  }

  private void grid(StringBuilder svg, double low, double high) {
    for (double decade = Math.pow(10, Math.floor(Math.log10(low))); decade <= high; decade *= 10) {
      for (int step : new int[] {1, 2, 5}) {
        double value = step * decade;
        if (value >= low && value <= high) {
          double y = y(value, low, high);
          svg.append(segment(LEFT, y, WIDTH - RIGHT, y, "#dddddd"));
          text(svg, LEFT - 8, y + 4, "end", label(value), "");
        }
      }
    }
    for (int each : xs) {
      double x = x(each);
      svg.append(segment(x, TOP, x, HEIGHT - BOTTOM, "#dddddd"));
      text(svg, x, HEIGHT - BOTTOM + 18, "middle", Integer.toString(each), "");
    }
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", xTitle, "");
    double middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    text(
        svg,
        20,
        middle,
        "middle",
        yTitle,
        "transform=\"rotate(-90 20 %s)\"".formatted(number(middle)));
  }

  private void line(StringBuilder svg, int index, double low, double high) {
    Line line = lines.get(index);
    String colour = COLOURS.get(index % COLOURS.size());
    String dash = line.dashed() ? " stroke-dasharray=\"6 4\"" : "";
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < xs.size(); i++) {
      String x = number(x(xs.get(i)));
      String y = number(y(line.values().get(i), low, high));
      points.append(i == 0 ? "" : " ").append(x).append(',').append(y);
      svg.append("<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>\n".formatted(x, y, colour));
    }
    svg.append(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n"
            .formatted(points, colour, dash));
    int legend = TOP + 10 + index * LEGEND_STEP;
    svg.append(
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\"%s/>\n"
            .formatted(WIDTH - RIGHT + 14, legend, WIDTH - RIGHT + 38, legend, colour, dash));
    text(svg, WIDTH - RIGHT + 44, legend + 4, "start", line.name(), "");
  }

  private static String segment(double x1, double y1, double x2, double y2, String colour) {
    return "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>\n"
        .formatted(number(x1), number(y1), number(x2), number(y2), colour);
  }

  private static void text(
      StringBuilder svg, double x, double y, String anchor, String text, String more) {
    svg.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s>%s</text>\n"
            .formatted(
                number(x),
                number(y),
                anchor,
                more.isEmpty() ? "" : " " + more,
                text.replace("&", "&amp;").replace("<", "&lt;")));
  }

  private double x(int value) {
    double share =
        Math.log((double) value / xs.getFirst()) / Math.log((double) xs.getLast() / xs.getFirst());
    return LEFT + share * (WIDTH - RIGHT - LEFT);
  }

  private static double y(double value, double low, double high) {
    double share = Math.log(value / low) / Math.log(high / low);
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
  }

  private static String label(double value) {
    return value >= 1000
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, value < 1 ? "%.2f" : "%.0f", value);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
