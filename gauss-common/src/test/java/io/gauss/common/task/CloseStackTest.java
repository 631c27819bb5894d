package io.gauss.common.task;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloseStackTest {
  private final List<String> closed = new ArrayList<>();
  private final CloseStack stack = new CloseStack("test");

  private void add(String name) {
    stack.add(() -> closed.add(name));
  }

  @Test
  void whatWasOpenedLastIsClosedFirstAndOnce() {
    add("disk");
    add("network");
    stack.close();
    stack.close();
    assertEquals(List.of("network", "disk"), closed);
  }

  @Test
  void aPartThatCannotBeClosedDoesNotKeepOthersOpen() {
    add("disk");
    stack.add(
        () -> {
          throw new AssertionError("broken");
        });
    stack.close();
    assertEquals(List.of("disk"), closed);
  }

  @Test
  void aFailureGetsThoseOfClosing() {
    Exception broken = new Exception("broken");
    add("disk");
    stack.add(
        () -> {
          throw broken;
        });
    IllegalStateException failure = new IllegalStateException("start");
    stack.closeAfter(failure);
    assertArrayEquals(new Throwable[] {broken}, failure.getSuppressed());
    assertEquals(List.of("disk"), closed);
  }
}
