package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.type.EnumLabels.Label;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EnumLabelsTest {
  private static List<String> names(List<Label> labels) {
    return labels.stream().map(Label::name).toList();
  }

  private static List<Label> first(String... names) {
    List<Integer> oids = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      oids.add(100 + i);
    }
    return EnumLabels.first(List.of(names), oids);
  }

  @Test
  void codesHaveTheOrderOfTheLabelsAndStay() {
    Random random = new Random(Seeds.next());
    List<Label> labels = first("a", "b", "c");
    List<String> twin = new ArrayList<>(names(labels));
    Map<String, Long> codes = new HashMap<>();
    labels.forEach(label -> codes.put(label.name(), label.code()));
    for (int i = 0; i < 200; i++) {
      int index = random.nextInt(labels.size() + 1);
      String name = "n" + i;
      labels = EnumLabels.with(labels, index, name, 1000 + i);
      twin.add(index, name);
      codes.put(name, labels.get(index).code());
    }
    EnumLabels known = new EnumLabels("t", labels);
    assertEquals(twin, names(known.inOrder()));
    for (int i = 0; i < twin.size(); i++) {
      Label label = known.inOrder().get(i);
      assertEquals(codes.get(label.name()), label.code());
      assertTrue(i == 0 || known.inOrder().get(i - 1).sortOrder() < label.sortOrder());
      assertEquals(label, known.find(label.name()));
      assertEquals(label.name(), new String(known.bytes(label.code()), StandardCharsets.UTF_8));
    }
  }

  @Test
  void sortOrdersAreThoseOfPostgres() {
    List<Label> labels = first("b", "d");
    labels = EnumLabels.with(labels, 0, "a", 1);
    labels = EnumLabels.with(labels, 2, "c", 2);
    labels = EnumLabels.with(labels, 4, "e", 3);
    assertEquals(List.of(0f, 1f, 1.5f, 2f, 3f), labels.stream().map(Label::sortOrder).toList());
    assertEquals(1f, EnumLabels.with(List.of(), 0, "x", 1).getFirst().sortOrder());
  }

  @Test
  void labelsThatCrowdAreNumberedAnewAndKeepTheirCodes() {
    List<Label> labels = first("a", "z");
    int added = 0;
    while (labels.getLast().sortOrder() == 2) {
      long before = labels.get(1).code();
      labels = EnumLabels.with(labels, 1, "n" + added++, 1);
      assertEquals(before, labels.get(2).code());
    }
    // A float between 1 and 2 has 23 bits behind the point: there is none for the 24th label.
    assertEquals(24, added);
    assertEquals(added + 1, labels.getLast().sortOrder());
    assertEquals(1.5f, labels.get(1).sortOrder());
  }

  @Test
  void aGapThatIsUsedUpIsRefusedAndOthersAreNot() {
    List<Label> labels = first("a", "z");
    int added = 0;
    GaussException full = null;
    while (full == null) {
      try {
        labels = EnumLabels.with(labels, 1, "n" + added, 1);
        added++;
      } catch (GaussException e) {
        full = e;
      }
    }
    assertEquals(44, added);
    assertEquals(SqlState.PROGRAM_LIMIT_EXCEEDED, full.state());
    labels = EnumLabels.with(labels, labels.size() - 1, "y", 1);
    assertEquals("y", labels.get(labels.size() - 2).name());
  }

  @Test
  void aVersionKnowsTheLabelsOfItsSuccessors() {
    List<Label> labels = first("a", "b");
    EnumLabels old = new EnumLabels("t", labels);
    List<Label> more = EnumLabels.with(labels, 1, "ab", 1);
    EnumLabels next = new EnumLabels("t", more);
    EnumLabels last = new EnumLabels("t", EnumLabels.with(more, 0, "0", 2));
    long code = more.get(1).code();
    assertEquals(
        SqlState.INTERNAL_ERROR, assertThrows(GaussException.class, () -> old.bytes(code)).state());
    old.replacedBy(next);
    next.replacedBy(last);
    assertEquals("ab", new String(old.bytes(code), StandardCharsets.UTF_8));
    assertEquals(
        "0", new String(old.bytes(last.inOrder().getFirst().code()), StandardCharsets.UTF_8));
    assertNull(old.find("ab")); // no value of this version
  }

  @Test
  void whatTheTransactionHasAddedCannotBeUsed() {
    List<Label> labels = first("a", "b");
    EnumLabels changed =
        new EnumLabels("t", EnumLabels.with(labels, 1, "ab", 1)).withUncommitted(Set.of(1));
    assertEquals("a", changed.require("a").name());
    GaussException unsafe = assertThrows(GaussException.class, () -> changed.require("ab"));
    assertEquals(SqlState.UNSAFE_NEW_ENUM_VALUE_USAGE, unsafe.state());
    assertEquals("unsafe use of new value \"ab\" of enum type t", unsafe.getMessage());
  }

  @Test
  void arraysKeepCodesAndAreSentAsLabels() {
    PgType type =
        PgType.enumType(500, 501, "public", "t", "_t", new EnumLabels("t", first("a", "bc")));
    TypeCodec codec = TypeCodec.of(type.array());
    Value array = new Value();
    codec.fromText("{bc,NULL,a}", TypeContext.DEFAULT, array);
    assertEquals("{bc,NULL,a}", codec.toText(array, TypeContext.DEFAULT));
    ByteSink sent = new ByteSink();
    codec.writeBinary(array, sent);
    assertEquals(20 + 6 + 4 + 5, sent.length);
    Value again = new Value();
    codec.readBinary(sent.array, 0, sent.length, again);
    assertTrue(ValueOrder.of(type.array()).equal(array, again));
    Value kept = new Value();
    kept.isNull = false;
    codec.fromCatalogText(codec.toCatalogText(array), kept);
    assertTrue(ValueOrder.of(type.array()).equal(array, kept));
  }
}
