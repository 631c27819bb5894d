package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What a built Gauss has on its class path: nothing that is there for tests or micro-benchmarks.
 */
class DistributionTest {
  private static final Set<String> FOR_TESTS =
      Set.of(
          "com.google.googlejavaformat",
          "com.tngtech.archunit",
          "com.zaxxer",
          "io.zonky.test",
          "io.zonky.test.postgres",
          "org.junit.jupiter",
          "org.junit.platform",
          "org.openjdk.jmh",
          "org.springframework");

  @Test
  void noTestsAndNoMicroBenchmarksAreShipped() throws IOException {
    assertEquals(
        List.of(),
        ShippedJars.read().stream()
            .filter(
                jar ->
                    FOR_TESTS.contains(jar.group())
                        || jar.type().equals("test-jar")
                        || jar.classifier().contains("tests"))
            .toList());
  }

  @Test
  void theServersModulesAreShipped() throws IOException {
    List<String> names = ShippedJars.read().stream().map(ShippedJars.Jar::name).toList();
    assertTrue(names.contains("io.gauss:gauss-compute"), names.toString());
    assertTrue(names.contains("io.gauss:benchmarks"), names.toString());
  }
}
