package io.gauss.bench.cost;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads the meters of a node on this machine as JConsole does: its JVM is asked to let tools of
 * this machine and user connect, if it does not already, which it does from then on. For one
 * thread.
 */
final class NodeMeters implements AutoCloseable {
  private static final List<ObjectName> WANTED =
      NodeCounts.NAMES.stream()
          .flatMap(name -> Stream.of(pattern("meters", name + "*"), pattern("timers", name + "*")))
          .toList();

  /** In the names of a process that has several roles; anywhere among the tags. */
  private static final Pattern ROLE = Pattern.compile("\\.role\\.[a-z]+");

  private final MBeanServerConnection beans;
  private final JMXConnector connector; // null = this process

  private NodeMeters(MBeanServerConnection beans, JMXConnector connector) {
    this.beans = beans;
    this.connector = connector;
  }

  private static ObjectName pattern(String type, String name) {
    try {
      return new ObjectName("gauss:type=" + type + ",name=" + name);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(name, e);
    }
  }

  /** Connects to a process; empty when it is no JVM, or does not let this one connect. */
  @SuppressWarnings("BanJNDI") // an address that the attached process itself has told
  static Optional<NodeMeters> of(long pid) {
    if (pid == ProcessHandle.current().pid()) {
      return Optional.of(new NodeMeters(ManagementFactory.getPlatformMBeanServer(), null));
    }
    try {
      JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address(pid)));
      return Optional.of(new NodeMeters(connector.getMBeanServerConnection(), connector));
    } catch (IOException | AttachNotSupportedException e) {
      return Optional.empty();
    }
  }

  private static String address(long pid) throws IOException, AttachNotSupportedException {
    VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
    try {
      return machine.startLocalManagementAgent();
    } finally {
      machine.detach();
    }
  }

  /**
   * The counts now, those of all roles of the process together; empty when the process answers no
   * more, or has no such meters.
   */
  Optional<NodeCounts> read() {
    try {
      long now = System.nanoTime();
      Map<String, Long> meters = new HashMap<>();
      for (ObjectName wanted : WANTED) {
        for (ObjectName meter : beans.queryNames(wanted, null)) {
          String name = ROLE.matcher(meter.getKeyProperty("name")).replaceFirst("");
          if (NodeCounts.isCounted(name)) {
            long count = ((Number) beans.getAttribute(meter, "Count")).longValue();
            meters.merge(name, count, Long::sum);
          }
        }
      }
      return meters.isEmpty() ? Optional.empty() : Optional.of(new NodeCounts(now, meters));
    } catch (IOException | JMException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    try {
      if (connector != null) {
        connector.close();
      }
    } catch (IOException e) {
      // The node has ended, and the connection with it.
    }
  }
}
