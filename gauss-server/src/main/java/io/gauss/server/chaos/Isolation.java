package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Namespaces in which a process may cut links and fill disks without harm to anybody else: a
 * network and a view of mounted file systems that nobody else has, and that end with it. Root gets
 * them at once, others where the system allows them a user namespace.
 */
public final class Isolation {
  private static final List<String> AS_ROOT = List.of("unshare", "-n", "-m");
  private static final List<String> AS_USER = List.of("unshare", "-U", "-r", "-n", "-m");

  /** All that is needed later. */
  private static final String TRY =
      "ip link set lo up && ip link add gauss0 type veth peer name gauss1"
          + " && ip rule add from 10.99.0.1 to 10.99.0.2 blackhole"
          + " && echo 1 > /proc/sys/net/ipv4/ip_forward && mount -t tmpfs chaos \"$0\"";

  private static final List<String> DIES_WITH_ITS_PARENT =
      List.of("setpriv", "--pdeathsig", "KILL");
  private static final List<String> ENDS_WITH_ITS_PARENT =
      List.of("setpriv", "--pdeathsig", "TERM");
  private static final boolean KNOWS_PARENTS =
      Programs.succeeds(List.of("setpriv", "--pdeathsig", "KILL", "true"));

  private Isolation() {}

  /** What stands before a command that is to run isolated; empty when the system does not allow. */
  public static Optional<List<String>> prefix() throws IOException {
    Path point = Files.createTempDirectory("gauss-chaos");
    try {
      for (List<String> each : List.of(AS_ROOT, AS_USER)) {
        List<String> command = new ArrayList<>(each);
        command.addAll(List.of("sh", "-c", TRY, point.toString()));
        if (Programs.succeeds(command)) {
          return Optional.of(each);
        }
      }
      return Optional.empty();
    } finally {
      Files.delete(point);
    }
  }

  /**
   * What stands before the command of a process that has to end when the thread that started it
   * does, even if this process is killed; nothing on systems that know no such thing.
   */
  static List<String> diesWithItsParent() {
    return KNOWS_PARENTS ? DIES_WITH_ITS_PARENT : List.of();
  }

  /** The same for one that is asked to end, and has time for it. */
  public static List<String> endsWithItsParent() {
    return KNOWS_PARENTS ? ENDS_WITH_ITS_PARENT : List.of();
  }
}
