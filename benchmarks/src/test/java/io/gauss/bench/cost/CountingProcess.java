package io.gauss.bench.cost;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.ObjectName;

/** A process with meters like a node's, which runs until its input ends. */
public final class CountingProcess {
  private CountingProcess() {}

  /** What an MBean of a meter has. */
  public interface MeterMBean {
    long getCount();
  }

  /** A meter that stands still. */
  public record Meter(long count) implements MeterMBean {
    @Override
    public long getCount() {
      return count;
    }
  }

  static Process start() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                CountingProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    process.getInputStream().read(); // it is up
    return process;
  }

  /** The process. */
  public static void main(String[] arguments) throws IOException, JMException {
    meter("meters", NodeCounts.SENT + "page.request", 11);
    meter("meters", NodeCounts.RAFT_FORCES, 5);
    meter("timers", NodeCounts.LOG_FORCES, 3);
    meter("meters", "gaussTransportMessages.direction.sent.role.memory.type.page.granted", 6);
    meter("meters", "gaussTransportMessages.direction.sent.role.storage.type.page.granted", 1);
    meter("timers", "gaussLogForces.role.compute", 4);
    meter("meters", "gaussTransportMessages.direction.received.type.page.request", 9);
    meter("timers", "gaussCheckpoint", 1);
    System.out.write('!');
    System.out.flush();
    System.in.read();
  }

  private static void meter(String type, String name, long count) throws JMException {
    ManagementFactory.getPlatformMBeanServer()
        .registerMBean(new Meter(count), new ObjectName("gauss:type=" + type + ",name=" + name));
  }
}
