package io.gauss.server.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One machine of a {@link MachineNetwork}: namespaces of its own for network, processes, mounted
 * file systems, the monotonic clock and the name, so that its files, process numbers and times say
 * nothing on another machine. Its data are in {@value #DATA}. Commands are typed in the directory
 * of the launcher, as a user does.
 *
 * <p>It ends with the process that has made it, and all that runs on it ends with it. Thread-safe.
 */
final class TestMachine implements AutoCloseable {
  /** The data directory of its node, seen from inside. */
  static final String DATA = "/var/lib/gauss";

  private static final int DAYS_APART = 10;
  private static final int MAKING_TRIES = 500;
  private static final int POLL_MS = 10;
  private static final long COMMAND_SECONDS = 240;

  /** The first process of a machine: it waits for whatever has lost its parent. */
  private static final String INIT = "while :; do sleep 1000 & wait $!; done";

  private static final String PREPARE =
      """
      set -e
      mount -t tmpfs machine /var/lib
      mkdir -m 700 /var/lib/gauss
      mount --bind "$1/data-$2" /var/lib/gauss
      mount --bind "$1/hosts" /etc/hosts
      printf '%s\\n' "$4" > /var/lib/gauss-password
      chmod 600 /var/lib/gauss-password
      mount -t tmpfs machine "$1"
      case $5 in /tmp/*) ;; *) mount -t tmpfs -o mode=1777 machine /tmp ;; esac
      hostname "$2"
      ip link set lo up
      ip address add "$3/24" dev eth0
      ip link set eth0 up
      """;

  private static final String SUPERVISE =
      "while :; do ./gauss start --data " + DATA + "; code=$?; [ $code = 75 ] || exit $code; done";

  private final MachineNetwork network;
  private final int number;
  private final Process holder;
  private volatile String address;

  /** What came of a command. */
  record Said(int code, String out, String error) {
    /** Its output without the end of the last line. */
    String text() {
      return out.strip();
    }
  }

  TestMachine(MachineNetwork network, int number, String password) throws IOException {
    this.network = network;
    this.number = number;
    this.address = network.address(number);
    int daysUp = DAYS_APART * number;
    String up = Long.toString(TimeUnit.DAYS.toSeconds(daysUp));
    List<String> command = new ArrayList<>(Isolation.diesWithItsParent());
    command.addAll(
        List.of("unshare", "-n", "-m", "-p", "-u", "-T", "--monotonic", up, "--boottime", up));
    command.addAll(List.of("--fork", "--kill-child", "--mount-proc", "bash", "-c", INIT));
    this.holder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(network.base().resolve("machine-" + number + ".out").toFile())
            .start();
    awaitNamespaces();
    Files.createDirectory(network.base().resolve("data-" + name()));
    Programs.run("chmod", "700", network.base().resolve("data-" + name()).toString());
    network.plug(number, holder.pid());
    List<String> prepare = new ArrayList<>(inside());
    prepare.addAll(
        List.of("bash", "-c", PREPARE, "prepare", network.base().toString(), name(), address));
    prepare.addAll(List.of(password, network.home().toString()));
    Programs.run(prepare);
  }

  /** The first process of a machine is there when it has a view of its own of all processes. */
  private void awaitNamespaces() throws IOException {
    List<String> seesItself = new ArrayList<>(inside());
    seesItself.addAll(List.of("grep", "-q", "sleep 1000", "/proc/1/cmdline"));
    for (int tries = 0; tries < MAKING_TRIES; tries++) {
      if (Programs.succeeds(seesItself)) {
        return;
      }
      Waits.sleep(POLL_MS);
    }
    throw new IOException("machine " + number + " gets no namespaces");
  }

  int number() {
    return number;
  }

  String name() {
    return "db-" + number;
  }

  String address() {
    return address;
  }

  /** Its data directory, seen from outside. */
  Path data() {
    return network.base().resolve("data-" + name());
  }

  private List<String> inside() {
    String spaces = "/proc/" + holder.pid() + "/ns/";
    return List.of(
        "nsenter",
        "--net=" + spaces + "net",
        "--uts=" + spaces + "uts",
        "--mount=" + spaces + "mnt",
        "--pid=" + spaces + "pid_for_children",
        "--time=" + spaces + "time_for_children");
  }

  private ProcessBuilder typing(String command) {
    List<String> all = new ArrayList<>(inside());
    all.addAll(List.of("env", "-i"));
    all.addAll(network.environment(number));
    all.addAll(List.of("bash", "-c", "cd " + network.home() + " && " + command));
    return new ProcessBuilder(all)
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
  }

  /**
   * Types a command and waits for its end.
   *
   * @throws IOException when it does not end
   */
  Said type(String command) throws IOException {
    Path out = Files.createTempFile(network.base(), "out-", "");
    Path error = Files.createTempFile(network.base(), "error-", "");
    Process process =
        typing(command).redirectOutput(out.toFile()).redirectError(error.toFile()).start();
    try {
      if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(
            "%s: `%s` does not end: %s %s"
                .formatted(name(), command, Files.readString(out), Files.readString(error)));
      }
      return new Said(process.exitValue(), Files.readString(out), Files.readString(error));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(out);
      Files.delete(error);
    }
  }

  /**
   * The same for a command that has to succeed.
   *
   * @return what it has printed
   */
  String must(String command) throws IOException {
    Said said = type(command);
    if (said.code() != 0) {
      throw new IOException(
          "%s: `%s` ends with %d: %s %s"
              .formatted(name(), command, said.code(), said.out(), said.error()));
    }
    return said.text();
  }

  /** Starts the node as a service: again whenever it asks for that. */
  void startAsService() throws IOException {
    typing(SUPERVISE)
        .redirectErrorStream(true)
        .redirectOutput(
            ProcessBuilder.Redirect.appendTo(
                network.base().resolve("service-" + number + ".out").toFile()))
        .start();
  }

  /** Gives it another address; whatever is connected to the old one hears nothing more. */
  void move(String to) throws IOException {
    must("ip address del " + address + "/24 dev eth0 && ip address add " + to + "/24 dev eth0");
    address = to;
  }

  /** The power is off: nobody hears from it any more, and nothing runs on it. */
  void powerOff() throws IOException {
    network.cutOff(number);
    holder.destroyForcibly();
    holder.onExit().join();
  }

  /** The last lines of its node's log. */
  String log() {
    try {
      List<String> lines =
          Files.readString(data().resolve("gauss.log"), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  @Override
  public void close() {
    holder.destroyForcibly();
    holder.onExit().join();
  }

  @Override
  public String toString() {
    return name();
  }
}
