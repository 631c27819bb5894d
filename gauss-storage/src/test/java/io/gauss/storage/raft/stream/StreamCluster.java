package io.gauss.storage.raft.stream;

import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.RaftHost;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.RaftSettings;
import io.gauss.storage.raft.Together;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Storage nodes in one JVM that replicate streams, and the transport to them. */
public final class StreamCluster implements AutoCloseable {
  static final ClientSettings CLIENT =
      ClientSettings.defaults()
          .withCallTimeout(Duration.ofSeconds(2))
          .withDeadline(Duration.ofSeconds(60));

  private final RaftNodes nodes;
  private final StreamService[] services;
  private final AtomicIntegerArray usableBytes;
  private final LocalStreamTransport transport = new LocalStreamTransport();

  public StreamCluster(int count, Path directory) {
    this(count, directory, node -> StreamHooks.logOnly(), s -> s);
  }

  public StreamCluster(
      int count,
      Path directory,
      IntFunction<StreamHooks> hooks,
      UnaryOperator<RaftSettings> change) {
    services = new StreamService[count];
    usableBytes = new AtomicIntegerArray(count);
    IntStream.range(0, count).forEach(node -> room(node, true));
    nodes =
        new RaftNodes(
            count,
            directory,
            node -> {
              services[node] = new StreamService(hooks.apply(node), () -> usableBytes.get(node), 1);
              return services[node]::machine;
            },
            change);
  }

  /** Sets whether there is room on a node's disk. */
  public void room(int node, boolean there) {
    usableBytes.set(node, there ? Integer.MAX_VALUE : 0);
  }

  public void startAll() {
    for (int node = 0; node < nodes.size(); node++) {
      start(node);
    }
  }

  public void start(int node) {
    RaftHost host = nodes.start(node);
    services[node].attach(host);
    transport.connect(node, services[node]);
  }

  /** The node stops normally; pending requests may or may not be answered. */
  public void stop(int node) {
    if (nodes.runs(node)) {
      transport.disconnect(node);
      nodes.stop(node);
      services[node].close();
    }
  }

  public void restartAll() {
    close();
    startAll();
  }

  /** Adds the stream on all running nodes; node 0 is to lead. */
  public void addStream(int stream) {
    nodes.addGroup(GroupId.stream(stream));
  }

  public int awaitLeader(int stream) {
    return nodes.awaitLeader(GroupId.stream(stream));
  }

  public StreamService service(int node) {
    return services[node];
  }

  public RaftNodes nodes() {
    return nodes;
  }

  public LocalStreamTransport transport() {
    return transport;
  }

  List<Integer> numbers() {
    return IntStream.range(0, nodes.size()).boxed().toList();
  }

  public ReplicatedLogStream open(int stream) {
    return open(stream, transport);
  }

  ReplicatedLogStream open(int stream, StreamTransport by) {
    return ReplicatedLogStream.open(stream, numbers(), by, CLIENT);
  }

  @Override
  public void close() {
    Together.run(numbers().stream().<Runnable>map(node -> () -> stop(node)).toList());
  }
}
