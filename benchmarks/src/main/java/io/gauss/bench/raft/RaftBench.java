package io.gauss.bench.raft;

import io.gauss.common.transport.ClusterKey;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.raft.stream.LocalStreamTransport;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.gauss.storage.raft.stream.StreamHooks;
import io.gauss.storage.raft.stream.StreamService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

/**
 * Commits of small records on three replicas in separate processes, through a log stream with
 * grouping. The client shares a process with the leading replica.
 *
 * <p>Arguments: {@code DIRECTORY [key=value ...]} with {@code rpc=PEER|GRPC|NETTY}, {@code
 * committers=1,64,1500}, {@code seconds}, {@code warmup} of each line, {@code prewarm}, {@code
 * inflight}, {@code bytes}, {@code preallocate} and {@code segment} in bytes.
 */
public final class RaftBench {
  private static final int REPLICAS = 3;
  private static final int STREAM = 1;
  private static final int BATCH_BYTES = 256 << 10;
  private static final String REPLICA = "replica";
  private static final ClusterKey KEY =
      new ClusterKey(new UUID(1, 2), "the bench's secret".getBytes(StandardCharsets.UTF_8));

  private final Path directory;
  private final RaftSettings.Rpc rpc;
  private final int segmentBytes;
  private final int preallocateBytes;
  private final int[] ports;

  private RaftBench(Path directory, Arguments arguments, int[] ports) {
    this.directory = directory;
    this.rpc = RaftSettings.Rpc.valueOf(arguments.text("rpc", "PEER"));
    this.segmentBytes = arguments.number("segment", 32 << 20);
    this.preallocateBytes = arguments.number("preallocate", 4 << 20);
    this.ports = ports;
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals(REPLICA)) {
      int[] ports = Arrays.stream(args[3].split(",")).mapToInt(Integer::parseInt).toArray();
      new RaftBench(Path.of(args[2]), new Arguments(args, 4), ports)
          .replica(Integer.parseInt(args[1]));
    } else {
      new RaftBench(Path.of(args[0]), new Arguments(args, 1), freePorts())
          .run(args, new Arguments(args, 1));
    }
  }

  private static int[] freePorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    int[] ports = new int[REPLICAS];
    for (int i = 0; i < REPLICAS; i++) {
      sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      ports[i] = sockets.get(i).getLocalPort();
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  private RaftSettings settings(int node) {
    return RaftSettings.of(node, "127.0.0.1", ports[node], directory.resolve("s" + node), KEY)
        .withRpc(rpc)
        .withElectionTimeout(Duration.ofSeconds(2), Duration.ofSeconds(4))
        .withSegments(segmentBytes, preallocateBytes, 4 << 20);
  }

  private List<GroupMember> members() {
    List<GroupMember> members = new ArrayList<>();
    for (int node = 0; node < REPLICAS; node++) {
      members.add(settings(node).member(REPLICAS - node));
    }
    return members;
  }

  private RaftHost host(int node, StreamService service) {
    RaftHost host = RaftHost.start(settings(node), service::machine, StreamService.evidence());
    service.attach(host);
    host.addGroup(GroupId.stream(STREAM), members());
    return host;
  }

  private static StreamService service() {
    return new StreamService(StreamHooks.logOnly(), () -> Long.MAX_VALUE, 0);
  }

  /** A replica that runs until its standard input ends. */
  private void replica(int node) throws IOException {
    try (StreamService service = service();
        RaftHost host = host(node, service)) {
      while (System.in.read() >= 0) {
        // lives as long as its parent process
      }
    }
  }

  private void run(String[] args, Arguments arguments) throws Exception {
    Files.createDirectories(directory);
    int seconds = arguments.number("seconds", 10);
    int bytes = arguments.number("bytes", 512);
    for (int writers : new int[] {1, REPLICAS}) {
      DiskRate disk = DiskRate.measure(directory, writers, bytes, 3);
      System.out.printf(
          "disk, %d writer(s) of %d bytes: %,.0f forced writes/s, p50 %,.0f us, p99 %,.0f us%n",
          writers, bytes, disk.perSecond(), disk.p50Micros(), disk.p99Micros());
    }
    List<Process> replicas = new ArrayList<>();
    for (int node = 1; node < REPLICAS; node++) {
      replicas.add(startReplica(node, args));
    }
    try (StreamService service = service();
        RaftHost host = host(0, service)) {
      LocalStreamTransport transport = new LocalStreamTransport();
      transport.connect(0, service);
      await(host, GroupId.stream(STREAM));
      String header = "%10s %10s %10s %10s %10s %10s %10s %12s %10s %10s %10s%n";
      System.out.printf(
          header,
          "committers",
          "commits/s",
          "worst s",
          "p50 us",
          "p99 us",
          "p99.9 us",
          "max us",
          "entries/s",
          "CPU us/c",
          "CPU us/e",
          "switches/e");
      prewarm(bytes, arguments, transport);
      for (String committers : arguments.text("committers", "1,64,1500").split(",")) {
        measure(Integer.parseInt(committers), bytes, seconds, arguments, transport, replicas);
      }
    } finally {
      replicas.forEach(Process::destroy);
    }
  }

  private Process startReplica(int node, String[] args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(
        List.of("--sun-misc-unsafe-memory-access=allow", "-XX:+UseCompactObjectHeaders"));
    command.addAll(List.of("-Xmx768m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(RaftBench.class.getName(), REPLICA, "" + node, directory.toString()));
    command.add(ports[0] + "," + ports[1] + "," + ports[2]);
    command.addAll(Arrays.asList(args).subList(1, args.length));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("s" + node + ".log").toFile())
        .start();
  }

  private static void await(RaftHost host, GroupId group) {
    while (!host.leads(group)) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  private static void measure(
      int count,
      int bytes,
      int seconds,
      Arguments arguments,
      LocalStreamTransport transport,
      List<Process> replicas)
      throws Exception {
    try (ReplicatedLogStream stream = open(transport)) {
      drive(count, seconds, arguments, grouped(stream, bytes, arguments), replicas);
    }
  }

  /** Warms up the JIT compilers before anything is measured. */
  private static void prewarm(int bytes, Arguments arguments, LocalStreamTransport transport) {
    try (ReplicatedLogStream stream = open(transport)) {
      Committers committers = new Committers(grouped(stream, bytes, arguments));
      committers.start(16);
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(arguments.number("prewarm", 60)));
      committers.stop();
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }
  }

  private static ReplicatedLogStream open(LocalStreamTransport transport) {
    return ReplicatedLogStream.open(STREAM, List.of(0), transport, ClientSettings.defaults());
  }

  private static GroupedLog grouped(ReplicatedLogStream stream, int bytes, Arguments arguments) {
    return new GroupedLog(stream, bytes, arguments.number("inflight", 2), BATCH_BYTES);
  }

  private static void drive(
      int count, int seconds, Arguments arguments, GroupedLog log, List<Process> replicas) {
    Committers committers = new Committers(log);
    committers.start(count);
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(arguments.number("warmup", 10)));
    long appendsBefore = log.appends();
    long cpuBefore = sum(replicas, RaftBench::cpuNanos);
    long switchesBefore = sum(replicas, ThreadSwitches::of);
    long begun = System.nanoTime();
    committers.measure(true);
    long worst = worstSecond(committers, begun, seconds);
    committers.measure(false);
    double elapsed = (System.nanoTime() - begun) / 1e9;
    long commits = committers.commits();
    long entries = log.appends() - appendsBefore;
    double cpuMicros = (sum(replicas, RaftBench::cpuNanos) - cpuBefore) / 1e3;
    long switches = sum(replicas, ThreadSwitches::of) - switchesBefore;
    System.out.printf(
        "%,10d %,10.0f %,10d %,10.0f %,10.0f %,10.0f %,10.0f %,12.0f %,10.0f %,10.0f %,10.1f%n",
        count,
        commits / elapsed,
        worst,
        committers.micros(50),
        committers.micros(99),
        committers.micros(99.9),
        committers.micros(100),
        entries / elapsed,
        cpuMicros / Math.max(1, commits),
        cpuMicros / Math.max(1, entries),
        (double) switches / Math.max(1, entries));
    committers.stop();
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
  }

  /**
   * Waits for the end.
   *
   * @return commits in the second with the fewest
   */
  private static long worstSecond(Committers committers, long begun, int seconds) {
    long worst = Long.MAX_VALUE;
    long before = 0;
    for (int second = 1; second <= seconds; second++) {
      long end = begun + TimeUnit.SECONDS.toNanos(second);
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      long now = committers.commits();
      worst = Math.min(worst, now - before);
      before = now;
    }
    return worst;
  }

  /** Over all three processes. */
  private static long sum(List<Process> replicas, ToLongFunction<ProcessHandle> of) {
    return of.applyAsLong(ProcessHandle.current())
        + replicas.stream().map(Process::toHandle).mapToLong(of).sum();
  }

  private static long cpuNanos(ProcessHandle process) {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** {@code key=value} arguments. */
  private record Arguments(String[] all, int from) {
    String text(String key, String otherwise) {
      for (int i = from; i < all.length; i++) {
        if (all[i].startsWith(key + "=")) {
          return all[i].substring(key.length() + 1);
        }
      }
      return otherwise;
    }

    int number(String key, int otherwise) {
      return Integer.parseInt(text(key, "" + otherwise));
    }
  }
}
