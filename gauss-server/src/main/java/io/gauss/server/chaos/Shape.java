package io.gauss.server.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * How many nodes of each role a cluster has.
 *
 * @param compute numbers from 1 on
 * @param memory numbers from 101 on
 * @param storage numbers from 201 on
 */
public record Shape(int compute, int memory, int storage) {
  private static final int FIRST_MEMORY = 101;
  private static final int FIRST_STORAGE = 201;
  private static final int MOST = 8;
  private static final Pattern TEXT = Pattern.compile("(\\d)\\+(\\d)\\+([135])");

  /**
   * Reads "3+2+3".
   *
   * @throws IllegalArgumentException when it is none
   */
  public static Shape parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (matcher.matches()) {
      Shape shape =
          new Shape(
              Integer.parseInt(matcher.group(1)),
              Integer.parseInt(matcher.group(2)),
              Integer.parseInt(matcher.group(3)));
      if (shape.compute > 0
          && shape.compute <= MOST
          && shape.memory <= MOST
          && (shape.memory > 0 || shape.compute == 1)) {
        return shape;
      }
    }
    throw new IllegalArgumentException(
        text
            + ": 1 to 8 compute nodes, 0 to 8 memory nodes (one at least for several compute nodes)"
            + " and 1, 3 or 5 storage nodes, as in 3+2+3");
  }

  List<Integer> computeNodes() {
    return numbers(1, compute);
  }

  List<Integer> memoryNodes() {
    return numbers(FIRST_MEMORY, memory);
  }

  List<Integer> storageNodes() {
    return numbers(FIRST_STORAGE, storage);
  }

  /** In the order in which they start. */
  List<Integer> allNodes() {
    List<Integer> all = new ArrayList<>(storageNodes());
    all.addAll(memoryNodes());
    all.addAll(computeNodes());
    return all;
  }

  static String role(int node) {
    if (node >= FIRST_STORAGE) {
      return "storage";
    }
    return node >= FIRST_MEMORY ? "memory" : "compute";
  }

  private static List<Integer> numbers(int first, int count) {
    return IntStream.range(first, first + count).boxed().toList();
  }

  @Override
  public String toString() {
    return compute + "+" + memory + "+" + storage;
  }
}
