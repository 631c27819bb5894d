package io.gauss.compute.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.row.KeyCodec;
import io.gauss.compute.tree.LeafBounds.Leaf;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges from leaves, whose page's number is the node's here. */
class LeafVotesTest {
  private static final LeadingColumn COLUMN = new LeadingColumn(PgType.INT4);

  /** A key of one or two numbers. */
  private static byte[] key(int... numbers) {
    Value[] values = new Value[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      values[i] = new Value();
      values[i].setLong(numbers[i]);
    }
    ByteSink key = new ByteSink();
    KeyCodec.primaryKey(List.of(PgType.INT4, PgType.INT4)).encode(values, values.length, key);
    return Arrays.copyOf(key.array, key.length);
  }

  /**
   * @param bounds beginnings of leaves, and the end of the last one; null at the end = none
   */
  private static String ranges(List<byte[]> bounds, int... nodes) {
    List<Leaf> leaves = new ArrayList<>();
    for (int i = 0; i < nodes.length; i++) {
      leaves.add(new Leaf(nodes[i], bounds.get(i), bounds.get(i + 1)));
    }
    return new LeafVotes(COLUMN, page -> (int) page)
        .of(leaves)
        .text()
        .replace("\n", " ")
        .replace("\t", "=");
  }

  @Test
  void leavesOfOneNodeAreARange() {
    assertEquals(
        "number \\N=1 20=2 ",
        ranges(Arrays.asList(new byte[0], key(10), key(20), key(30), null), 1, 1, 2, 2));
  }

  @Test
  void beyondTheLastLeafNothingIsKnown() {
    assertEquals("number 10=1 20=2 30=0 ", ranges(List.of(key(10), key(20), key(30)), 1, 2));
  }

  /** So that drivers know of these keys as well that nothing is known of them. */
  @Test
  void whereTheLastLeavesHaveNoNodeTheirEndIsTold() {
    assertEquals("number 10=1 20=0 30=0 ", ranges(List.of(key(10), key(20), key(30)), 1, 0));
    assertEquals(
        "number \\N=0 9223372036854775807=0 ",
        ranges(Arrays.asList(new byte[0], key(20), null), 0, 0));
  }

  @Test
  void aValueBelongsToMostOfTheLeavesThatAreItsOwn() {
    // 2 begins on a leaf that is mostly 1's, and has three leaves of its own.
    assertEquals(
        "number 1=1 2=3 3=4 5=0 ",
        ranges(
            List.of(key(1), key(2, 5), key(2, 50), key(2, 80), key(2, 90), key(5)), 1, 3, 2, 3, 4));
  }

  @Test
  void aValueThatEndsTheLeavesIsKnownAsAWhole() {
    assertEquals(
        "number 1=1 2=3 3=0 ", ranges(List.of(key(1), key(2, 5), key(2, 50), key(2, 80)), 1, 3, 3));
  }

  @Test
  void valuesWithinOneLeafBelongToIt() {
    assertEquals("number 1=1 3=2 7=0 ", ranges(List.of(key(1, 4), key(3, 2), key(7, 1)), 1, 2));
  }

  @Test
  void textsAreEscaped() {
    KeyRanges ranges = new KeyRanges(false, List.of(new KeyRanges.Start("a\tb\\\n", 3)));
    assertEquals("text\na\\tb\\\\\\n\t3\n", ranges.text());
  }
}
