package io.gauss.bench.micro;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.common.transport.tcp.SocketIo;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Two nodes in one process over the loopback interface, or within the JVM: a 64-byte request
 * answered by a page, by a thread that waits for it and by a chain on the event loop; and 64 KB
 * appends with several in flight.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--enable-native-access=ALL-UNNAMED",
      "-XX:+UseCompactObjectHeaders",
      "-Xmx512m",
      "-XX:MaxDirectMemorySize=1g"
    })
public class TransportBenchmark {
  private static final MessageType READ = new MessageType(1, "bench.read");
  private static final MessageType APPEND = new MessageType(2, "bench.append");
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int IN_FLIGHT = 8;
  private static final int CHAIN = 1000;

  @Param({"tcp", "local"})
  private String kind;

  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
  private Transport server;
  private Transport client;
  private Peer peer;
  private ByteBuf page;
  private ByteBuf request;
  private ByteBuf batch;

  @Setup
  public void open() {
    page = PooledByteBufAllocator.DEFAULT.directBuffer(8192).writeZero(8192);
    request = PooledByteBufAllocator.DEFAULT.directBuffer(64).writeZero(64);
    batch = PooledByteBufAllocator.DEFAULT.directBuffer(65_536).writeZero(65_536);
    LocalNetwork network = new LocalNetwork();
    server = transport(network, 1, NodeRole.STORAGE);
    client = transport(network, 2, NodeRole.COMPUTE);
    Handlers handlers =
        new Handlers()
            .on(READ, r -> r.reply(page.retainedDuplicate()))
            .on(APPEND, r -> r.reply(Unpooled.EMPTY_BUFFER));
    NodeAddress address = server.listen(new NodeAddress("127.0.0.1", 0), handlers);
    peer = client.connect(address, 1);
    peer.connected().join();
  }

  private Transport transport(LocalNetwork network, int node, NodeRole role) {
    TransportConfig config =
        new TransportConfig(
            NodeIdentity.of(node, role, 1, new LamportClock(node, Lsn.of(1, node))),
            new ClusterKey(new UUID(1, 2), new byte[32]),
            EpochGuard.NONE,
            TransportSettings.DEFAULTS,
            new SimpleMeterRegistry());
    return kind.equals("tcp")
        ? new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, null))
        : network.transport(config);
  }

  @TearDown
  public void close() {
    peer.close();
    client.close();
    server.close();
    page.release();
    request.release();
    batch.release();
  }

  /** As a virtual or platform thread that misses a page: it waits for the answer. */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public int readPageAndWait() {
    ByteBuf reply = peer.call(READ, request.retainedDuplicate(), TIMEOUT_NANOS).join();
    int bytes = reply.readableBytes();
    reply.release();
    return bytes;
  }

  /** As protocol code on the event loop: each answer makes the next request. Time is for 1,000. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public int readPagesOnTheLoop() {
    CompletableFuture<Integer> done = new CompletableFuture<>();
    next(CHAIN, done);
    return done.join();
  }

  private void next(int left, CompletableFuture<Integer> done) {
    peer.call(READ, request.retainedDuplicate(), TIMEOUT_NANOS)
        .whenComplete(
            (reply, failure) -> {
              if (failure != null) {
                done.completeExceptionally(failure);
                return;
              }
              reply.release();
              if (left == 1) {
                done.complete(left);
              } else {
                next(left - 1, done);
              }
            });
  }

  /** Time per append of 64 KB, with up to eight not yet answered. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public void append64KbPipelined() throws InterruptedException {
    inFlight.acquire();
    peer.call(APPEND, batch.retainedDuplicate(), TIMEOUT_NANOS)
        .whenComplete(
            (reply, failure) -> {
              inFlight.release();
              if (failure != null) {
                throw new IllegalStateException(failure);
              }
              reply.release();
            });
  }
}
