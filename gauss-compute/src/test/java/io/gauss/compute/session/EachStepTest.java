package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EachStepTest {
  @Test
  void whateverAStepThrowsTheOthersRun() {
    List<String> heard = new ArrayList<>();
    EachStep steps = new EachStep((step, why) -> heard.add(step + ": " + why.getMessage()));
    steps.run("first", () -> heard.add("first runs"));
    steps.run(
        "second",
        () -> {
          throw new IllegalStateException("no");
        });
    steps.run(
        "third",
        () -> {
          throw new OutOfMemoryError("none left");
        });
    steps.run("fourth", () -> heard.add("fourth runs"));
    assertEquals(List.of("first runs", "second: no", "third: none left", "fourth runs"), heard);
  }
}
