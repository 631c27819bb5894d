package io.gauss.bench.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

final class ProcessUseTest {
  private static final long SECOND = 1_000_000_000L;

  private static ProcessUse at(int seconds, double cpu, Map<String, Long> switches, double calls) {
    return new ProcessUse(seconds * SECOND, cpu, cpu / 10, switches, calls);
  }

  @Test
  void useBecomesRates() {
    ProcessUse.Rates rates =
        at(5, 9, Map.of("1", 30L, "2", 8L), 700).since(at(3, 6, Map.of("1", 10L, "2", 4L), 100));
    assertEquals(1.5, rates.cpu(), 1e-9);
    assertEquals(0.15, rates.childrenCpu(), 1e-9);
    assertEquals(12, rates.switches(), 1e-9);
    assertEquals(300, rates.readsAndWrites(), 1e-9);
  }

  /** A thread that has begun counts in full, also one with the number of one that has ended. */
  @Test
  void threadsBeginAndEndMeanwhile() {
    ProcessUse.Rates rates =
        at(2, 0, Map.of("2", 3L, "3", 40L), 0).since(at(1, 0, Map.of("1", 10L, "2", 500L), 0));
    assertEquals(43, rates.switches(), 1e-9);
  }

  @Test
  void whatIsUnknownStaysSo() {
    ProcessUse.Rates rates = at(2, 1, Map.of(), Double.NaN).since(at(1, 1, Map.of(), Double.NaN));
    assertTrue(Double.isNaN(rates.switches()));
    assertTrue(Double.isNaN(rates.readsAndWrites()));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void thisProcessIsSeen() {
    ProcessUse use = ProcessUse.of(ProcessHandle.current().pid()).orElseThrow();
    assertTrue(use.cpuSeconds() > 0);
    assertTrue(use.readsAndWrites() > 0);
    assertTrue(use.switches().size() > 1, use.switches()::toString);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aChildThatHasEndedIsCountedApart() throws IOException, InterruptedException {
    long self = ProcessHandle.current().pid();
    double before = ProcessUse.of(self).orElseThrow().childrenCpuSeconds();
    Process child =
        new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done").start();
    assertEquals(0, child.waitFor());
    assertTrue(ProcessUse.of(self).orElseThrow().childrenCpuSeconds() > before);
    assertEquals(Optional.empty(), ProcessUse.of(child.pid()));
    assertFalse(ProcessUse.cpuSeconds(child.pid()).isPresent());
  }
}
