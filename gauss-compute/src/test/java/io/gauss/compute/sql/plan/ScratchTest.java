package io.gauss.compute.sql.plan;

import java.nio.file.*;
import org.junit.jupiter.api.Test;

class ScratchTest {
  @Test
  void scratch() throws Exception {
    for (String line : Files.readAllLines(Path.of("/tmp/scratch.sql"))) {
      if (line.isBlank() || line.startsWith("--")) continue;
      String cat = line.substring(0, 1);
      String sql = line.substring(2);
      FixtureCatalog c = cat.equals("c") ? Fixtures.tpcc() : Fixtures.small();
      System.out.println("## " + sql);
      try {
        PreparedPlan p = Fixtures.plan(c, sql);
        System.out.println(String.join("\n", Explain.lines(p, true)));
        System.out.println(
            "   short="
                + p.mayRunOnEventLoop()
                + " params="
                + java.util.Arrays.toString(p.parameterTypes())
                + " slots="
                + p.parameterSlots()
                + " cols="
                + p.columns().stream().map(x -> x.name() + ":" + x.type()).toList());
      } catch (io.gauss.common.error.GaussException e) {
        System.out.println(
            "   ERROR " + e.state().code() + " " + e.getMessage() + " at " + e.position());
        if (System.getProperty("st") != null) e.printStackTrace(System.out);
      } catch (Throwable e) {
        e.printStackTrace(System.out);
      }
    }
  }
}
