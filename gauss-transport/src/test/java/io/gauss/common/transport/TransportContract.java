package io.gauss.common.transport;

import static io.gauss.common.transport.TestNodes.array;
import static io.gauss.common.transport.TestNodes.bytes;
import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.takeBytes;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.TransportException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of every transport. Node 1 listens, node 2 calls. */
public abstract class TransportContract {
  protected static final MessageType ECHO = new MessageType(1, "test.echo");
  protected static final MessageType SILENT = new MessageType(2, "test.silent");
  protected static final MessageType NOTE = new MessageType(3, "test.note");
  protected static final MessageType COUNT = new MessageType(4, "test.count");
  protected static final MessageType FAIL = new MessageType(5, "test.fail");
  protected static final MessageType UNKNOWN = new MessageType(99, "test.unknown");
  protected static final long LONG = Duration.ofSeconds(30).toNanos();
  protected static final long SHORT = Duration.ofMillis(50).toNanos();

  private final List<Transport> opened = new ArrayList<>();

  /** Requests of type SILENT in the order of arrival. */
  private final Map<Integer, CompletableFuture<Request>> silent = new ConcurrentHashMap<>();

  protected final AtomicInteger silentCount = new AtomicInteger();
  protected final Handlers handlers = new Handlers();
  protected TransportHarness harness;
  protected TransportConfig server = config(1, NodeRole.STORAGE);
  protected TransportConfig client = config(2, NodeRole.COMPUTE);

  protected abstract TransportHarness harness() throws Exception;

  @BeforeEach
  void open() throws Exception {
    harness = harness();
    handlers
        .on(ECHO, request -> request.reply(request.payload().retain()))
        .on(
            SILENT,
            request -> {
              silentRequest(silentCount.getAndIncrement()).complete(request);
            })
        .on(
            FAIL,
            request -> {
              throw new GaussException(SqlState.DISK_FULL, "no room for " + request.type());
            });
  }

  @AfterEach
  void close() {
    opened.forEach(Transport::close);
    harness.close();
  }

  @AfterAll
  static void nothingWasLeaked() {
    Leaks.check();
  }

  protected final Transport node(TransportConfig config) {
    Transport transport = harness.open(config);
    opened.add(transport);
    return transport;
  }

  protected final <T> T await(CompletableFuture<T> future) {
    return harness.await(future);
  }

  /** A peer of node 2 for node 1, connected. */
  protected final Peer connectedPeer() {
    Peer peer = peer();
    await(peer.connected());
    return peer;
  }

  protected final Peer peer() {
    NodeAddress address = node(server).listen(harness.anyAddress(), handlers);
    return node(client).connect(address, 1);
  }

  protected final CompletableFuture<Request> silentRequest(int index) {
    return silent.computeIfAbsent(index, i -> new CompletableFuture<>());
  }

  protected final TransportException failure(CompletableFuture<?> future) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> await(future.thenApply(x -> x)));
    return (TransportException) thrown.getCause();
  }

  @Test
  void aCallIsAnsweredByTheHandlerOfItsType() {
    assertEquals("hello", take(await(connectedPeer().call(ECHO, text("hello"), LONG))));
  }

  @Test
  void aCallWaitsForTheFirstConnection() {
    assertEquals("early", take(await(peer().call(ECHO, text("early"), LONG))));
  }

  @Test
  void emptySmallAndLargePayloadsArriveAsTheyWere() {
    Peer peer = connectedPeer();
    for (int length : new int[] {0, 1, 64, 511, 512, 513, 8192, 65_536, 262_144, 3_000_000}) {
      byte[] reply = takeBytes(await(peer.call(ECHO, bytes(length, length), LONG)));
      assertArrayEquals(array(length, length), reply, () -> "payload of " + length + " bytes");
    }
  }

  @Test
  void aPayloadMayBeMadeOfSeveralBuffersOrOnTheHeap() {
    Peer peer = connectedPeer();
    ByteBuf pieces = Unpooled.wrappedBuffer(bytes(700, 1), bytes(9000, 2), bytes(3, 3));
    byte[] reply = takeBytes(await(peer.call(ECHO, pieces, LONG)));
    assertEquals(9703, reply.length);
    assertArrayEquals(array(9000, 2), Arrays.copyOfRange(reply, 700, 9700));
    ByteBuf onHeap = Unpooled.wrappedBuffer(array(5000, 4));
    assertArrayEquals(array(5000, 4), takeBytes(await(peer.call(ECHO, onHeap, LONG))));
  }

  @Test
  void thousandsOfCallsAtOnceEachGetTheirOwnAnswer() {
    Peer peer = connectedPeer();
    List<CompletableFuture<String>> answers =
        IntStream.range(0, 3000)
            .mapToObj(i -> peer.call(ECHO, text("call " + i), LONG).thenApply(TestNodes::take))
            .toList();
    for (int i = 0; i < answers.size(); i++) {
      assertEquals("call " + i, await(answers.get(i)));
    }
  }

  @Test
  void oneWayMessagesArriveInTheOrderSent() {
    List<String> notes = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Void> last = new CompletableFuture<>();
    handlers.on(
        NOTE,
        request -> {
          notes.add(request.payload().toString(java.nio.charset.StandardCharsets.UTF_8));
          if (notes.size() == 1000) {
            last.complete(null);
          }
        });
    Peer peer = connectedPeer();
    List<String> sent = IntStream.range(0, 1000).mapToObj(i -> "note " + i).toList();
    sent.forEach(note -> peer.send(NOTE, text(note)));
    await(last);
    assertEquals(sent, notes);
  }

  @Test
  void aHandlersErrorReachesTheCallerWithItsSqlState() {
    TransportException failure = failure(connectedPeer().call(FAIL, text("x"), LONG));
    assertEquals(Reason.FAILED, failure.reason());
    assertEquals(SqlState.DISK_FULL, failure.state());
    assertEquals("no room for test.fail", failure.getMessage());
  }

  @Test
  void aHandlersDefectIsAnInternalError() {
    handlers.on(
        NOTE,
        request -> {
          throw new IllegalStateException("broken");
        });
    TransportException failure = failure(connectedPeer().call(NOTE, text("x"), LONG));
    assertEquals(SqlState.INTERNAL_ERROR, failure.state());
  }

  @Test
  void aTypeThatNobodyHandlesIsAnError() {
    TransportException failure = failure(connectedPeer().call(UNKNOWN, text("x"), LONG));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, failure.state());
    assertTrue(failure.getMessage().contains("type 99"), failure.getMessage());
  }

  @Test
  void aCallWithoutAnAnswerFailsAtItsDeadlineAndMayHaveBeenExecuted() {
    CompletableFuture<Void> serverKnows = new CompletableFuture<>();
    Peer peer = connectedPeer();
    long nanos = Duration.ofMillis(500).toNanos();
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), nanos);
    while (!arrivesBefore(call)) { // the machine has paused for longer than that
      nanos *= 4;
      call = peer.call(SILENT, text("x"), nanos);
    }
    Request request = await(silentRequest(0));
    request.onCancel(() -> serverKnows.complete(null));
    TransportException failure = failure(call);
    assertEquals(Reason.TIMEOUT, failure.reason());
    assertTrue(failure.maybeExecuted());
    await(serverKnows);
    assertTrue(request.isCancelled());
  }

  private boolean arrivesBefore(CompletableFuture<ByteBuf> call) {
    await(CompletableFuture.anyOf(silentRequest(0), call.handle((reply, failure) -> reply)));
    return silentRequest(0).isDone();
  }

  @Test
  void theDeadlineTravelsAsTheTimeThatIsLeft() {
    Peer peer = connectedPeer();
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    Request request = await(silentRequest(0));
    long remaining = request.remainingNanos();
    assertTrue(remaining > 0 && remaining <= LONG, "remaining " + remaining);
    request.reply(text("done"));
    assertEquals("done", take(await(call)));
  }

  @Test
  void cancellingACallTellsTheHandlerAndDropsItsLateAnswer() {
    CompletableFuture<Void> serverKnows = new CompletableFuture<>();
    Peer peer = connectedPeer();
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    Request request = await(silentRequest(0));
    request.onCancel(() -> serverKnows.complete(null));
    assertTrue(call.cancel(false));
    await(serverKnows);
    request.reply(text("too late"));
    assertEquals("next", take(await(peer.call(ECHO, text("next"), LONG))));
  }

  @Test
  void aHandlerMayKeepThePayloadAndAnswerLaterFromAnotherThread() {
    Peer peer = connectedPeer();
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    Request request = await(silentRequest(0));
    CompletableFuture.runAsync(() -> request.reply(text("from elsewhere"))).join();
    assertEquals("from elsewhere", take(await(call)));
  }

  @Test
  void anExecutorThatTakesNoMoreMakesTheCallFail() {
    handlers.on(
        NOTE,
        task -> {
          throw new RejectedExecutionException();
        },
        request -> request.reply(text("never")));
    TransportException failure = failure(connectedPeer().call(NOTE, text("x"), LONG));
    assertEquals(SqlState.INSUFFICIENT_RESOURCES, failure.state());
  }

  @Test
  void callsBeyondTheLimitAreRefusedAndNotSent() {
    client = client.withSettings(TransportSettings.DEFAULTS.withLimits(1 << 20, 10, 1 << 20));
    Peer peer = connectedPeer();
    List<CompletableFuture<ByteBuf>> calls =
        IntStream.range(0, 10).mapToObj(i -> peer.call(SILENT, text("x"), LONG)).toList();
    TransportException failure = failure(peer.call(ECHO, text("x"), LONG));
    assertEquals(Reason.OVERLOADED, failure.reason());
    assertFalse(failure.maybeExecuted());
    assertEquals(SqlState.INSUFFICIENT_RESOURCES, failure.state());
    calls.getFirst().cancel(false);
    await(peer.connected()); // behind the cancel on the same loop
    assertEquals("room", take(await(peer.call(ECHO, text("room"), LONG))));
  }

  @Test
  void bytesBeyondTheLimitAreRefusedAndNotSent() {
    client = client.withSettings(TransportSettings.DEFAULTS.withLimits(8192, 100, 20_000));
    Peer peer = connectedPeer();
    peer.call(SILENT, bytes(8000, 1), LONG);
    peer.call(SILENT, bytes(8000, 2), LONG);
    assertEquals(Reason.OVERLOADED, failure(peer.call(ECHO, bytes(8000, 3), LONG)).reason());
    assertEquals("small", take(await(peer.call(ECHO, text("small"), LONG))));
  }

  @Test
  void aPayloadAboveTheLimitIsRefusedBeforeItIsSent() {
    client = client.withSettings(TransportSettings.DEFAULTS.withLimits(8192, 100, 20_000));
    TransportException failure = failure(connectedPeer().call(ECHO, bytes(8193, 0), LONG));
    assertEquals(SqlState.PROGRAM_LIMIT_EXCEEDED, failure.state());
    assertFalse(failure.maybeExecuted());
  }

  @Test
  void aServerWithManyUnansweredRequestsTakesNoMoreUntilItHasRoom() {
    server = server.withSettings(TransportSettings.DEFAULTS.withLimits(1 << 20, 10, 1 << 20));
    Peer peer = connectedPeer();
    List<CompletableFuture<ByteBuf>> calls =
        IntStream.range(0, 50).mapToObj(i -> peer.call(SILENT, text("x"), LONG)).toList();
    await(silentRequest(0));
    for (int i = 0; i < calls.size(); i++) {
      Request request = await(silentRequest(i));
      assertTrue(silentCount.get() - i <= 10, (silentCount.get() - i) + " unanswered");
      request.reply(text("done " + i));
      assertEquals("done " + i, take(await(calls.get(i))));
    }
  }

  @Test
  void everyMessageRaisesTheReceiversClock() {
    LamportClock clientClock = client.self().clock();
    LamportClock serverClock = server.self().clock();
    Peer peer = connectedPeer();
    assertTrue(serverClock.now() >= Lsn.of(200, 2), "by the hello");
    clientClock.observe(Lsn.of(5000, 7));
    take(await(peer.call(ECHO, text("x"), LONG)));
    assertTrue(serverClock.now() >= Lsn.of(5000, 7), "by the request");
    serverClock.observe(Lsn.of(9000, 7));
    take(await(peer.call(ECHO, text("x"), LONG)));
    assertTrue(clientClock.now() >= Lsn.of(9000, 7), "by the reply");
  }

  @Test
  void aClockThatJumpsTooFarEndsTheConnection() {
    Peer peer = connectedPeer();
    client.self().clock().observe(Lsn.of(1L << 45, 2));
    TransportException failure = failure(peer.call(ECHO, text("x"), LONG));
    assertEquals(Reason.DISCONNECTED, failure.reason());
    assertTrue(failure.getMessage().contains("cannot be right"), failure.getMessage());
    assertTrue(server.self().clock().now() < Lsn.of(1L << 45, 2));
  }

  @Test
  void whatComesFromADeadEpochIsDroppedAndItsConnectionClosed() {
    AtomicInteger lowestAlive = new AtomicInteger(1);
    AtomicInteger handled = new AtomicInteger();
    server =
        new TransportConfig(
            server.self(),
            server.key(),
            (node, epoch) -> epoch >= lowestAlive.get(),
            server.settings(),
            server.meters());
    handlers.on(
        NOTE,
        request -> {
          handled.incrementAndGet();
          request.reply(text("done"));
        });
    Peer peer = connectedPeer();
    lowestAlive.set(2);
    TransportException failure = failure(peer.call(NOTE, text("x"), LONG));
    assertEquals(Reason.DISCONNECTED, failure.reason());
    assertTrue(failure.getMessage().contains("epoch 1 of node 2"), failure.getMessage());
    assertEquals(0, handled.get());
    assertTrue(refusal(peer).getMessage().contains("epoch 1 of node 2 is dead"));
    assertEquals(EpochGuard.DEAD, refusal(peer).state());
    assertEquals(EpochGuard.DEAD, failure(peer.call(NOTE, text("x"), LONG)).state());
  }

  @Test
  void aCallThatWaitsForAConnectionIsToldThatItsEpochIsDead() {
    server =
        new TransportConfig(
            server.self(),
            server.key(),
            (node, epoch) -> node != client.self().node(),
            server.settings(),
            server.meters());
    TransportException failure = failure(peer().call(ECHO, text("x"), LONG));
    assertEquals(Reason.DISCONNECTED, failure.reason());
    assertEquals(EpochGuard.DEAD, failure.state());
    assertFalse(failure.maybeExecuted());
  }

  private TransportException refusal(Peer peer) {
    return failure(peer.connected());
  }

  @Test
  void anotherSecretIsRefusedOnBothSides() {
    client =
        new TransportConfig(
            client.self(),
            TestNodes.key("another secret than that"),
            client.guard(),
            client.settings(),
            client.meters());
    TransportException failure = refusal(peer());
    assertEquals(Reason.REFUSED, failure.reason());
    assertEquals(SqlState.INVALID_PASSWORD, failure.state());
    assertTrue(failure.getMessage().contains("different cluster secrets"), failure.getMessage());
  }

  @Test
  void anotherClusterIsRefused() {
    client =
        new TransportConfig(
            client.self(),
            new ClusterKey(
                new UUID(1, 2), "a secret for tests only".getBytes(StandardCharsets.UTF_8)),
            client.guard(),
            client.settings(),
            client.meters());
    TransportException failure = refusal(peer());
    assertEquals(Reason.REFUSED, failure.reason());
    assertTrue(failure.getMessage().contains("belongs to cluster"), failure.getMessage());
  }

  @Test
  void anotherNodeThanExpectedIsRefused() {
    NodeAddress address = node(server).listen(harness.anyAddress(), handlers);
    TransportException failure = refusal(node(client).connect(address, 3));
    assertTrue(failure.getMessage().contains("node 3 was expected"), failure.getMessage());
  }

  @Test
  void bothSidesLearnWhoTheOtherIs() {
    CompletableFuture<RemoteNode> accepted = new CompletableFuture<>();
    Transport one = node(server);
    one.addListener(onConnected(accepted));
    Peer peer = node(client).connect(one.listen(harness.anyAddress(), handlers), 0);
    assertEquals(new RemoteNode(1, NodeRole.STORAGE, 1), await(peer.connected()));
    assertEquals(new RemoteNode(2, NodeRole.COMPUTE, 1), await(accepted));
  }

  private static ConnectionListener onConnected(CompletableFuture<RemoteNode> told) {
    return new ConnectionListener() {
      @Override
      public void connected(RemoteNode node, boolean outgoing) {
        told.complete(node);
      }

      @Override
      public void disconnected(RemoteNode node, boolean outgoing, String reason) {}
    };
  }

  @Test
  void aServerThatStopsFailsTheCallsUnderWayAndTellsTheListeners() {
    CompletableFuture<String> lost = new CompletableFuture<>();
    Transport one = node(server);
    Transport two = node(client);
    two.addListener(
        new ConnectionListener() {
          @Override
          public void connected(RemoteNode node, boolean outgoing) {}

          @Override
          public void disconnected(RemoteNode node, boolean outgoing, String reason) {
            lost.complete(node + ": " + reason);
          }
        });
    Peer peer = two.connect(one.listen(harness.anyAddress(), handlers), 1);
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    Request request = await(silentRequest(0));
    one.close();
    TransportException failure = failure(call);
    assertEquals(Reason.DISCONNECTED, failure.reason());
    assertTrue(failure.maybeExecuted());
    assertTrue(await(lost).contains("node 1 (storage)"), await(lost));
    assertTrue(request.isCancelled());
    request.reply(text("nobody hears it"));
  }

  @Test
  void aClosedPeerFailsItsCallsAndTakesNoMore() {
    Peer peer = connectedPeer();
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    await(silentRequest(0));
    peer.close();
    assertEquals(Reason.DISCONNECTED, failure(call).reason());
    TransportException after = failure(peer.call(ECHO, text("x"), LONG));
    assertEquals(Reason.DISCONNECTED, after.reason());
    assertFalse(after.maybeExecuted());
    assertThrows(TransportException.class, () -> peer.send(NOTE, text("x")));
  }

  @Test
  void whatIsClosedAfterItsTransportIsClosedInPeace() {
    Transport one = node(server);
    Transport two = node(client);
    Peer peer = two.connect(one.listen(harness.anyAddress(), handlers), 1);
    await(peer.connected());
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    Request request = await(silentRequest(0));
    Collector items = new Collector(true);
    StreamCall stream = peer.stream(SILENT, text("x"), LONG, 1 << 10, items);
    await(silentRequest(1));
    two.close();
    one.close();
    assertEquals(Reason.DISCONNECTED, failure(call).reason());
    call.cancel(true);
    stream.cancel();
    stream.consumed(1 << 20);
    request.reply(text("nobody hears it"));
    peer.close();
    two.close();
    one.close();
    assertThrows(TransportException.class, () -> peer.send(NOTE, text("x")));
    assertEquals(Reason.DISCONNECTED, failure(peer.connected()).reason());
  }

  @Test
  void withNobodyAtTheAddressCallsFailUnsentAndAConnectionIsMadeLater() {
    Transport one = node(server);
    NodeAddress address = one.listen(harness.anyAddress(), handlers);
    one.close();
    Peer peer = node(client).connect(address, 1);
    TransportException failure = failure(peer.call(ECHO, text("x"), LONG));
    assertEquals(Reason.DISCONNECTED, failure.reason());
    assertFalse(failure.maybeExecuted());
    CompletableFuture<RemoteNode> connected = peer.connected();
    node(server).listen(address, handlers);
    await(connected);
    assertEquals("back", take(await(peer.call(ECHO, text("back"), LONG))));
  }

  /** Pushes numbers from 0 on, while there is credit. */
  private static final class Counter implements RequestHandler {
    final List<ReplyStream> streams = Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger pushed = new AtomicInteger();
    private final int limit;
    private final int itemBytes;

    Counter(int limit, int itemBytes) {
      this.limit = limit;
      this.itemBytes = itemBytes;
    }

    @Override
    public void handle(Request request) {
      ReplyStream stream = request.openStream();
      streams.add(stream);
      stream.onReady(
          () -> {
            while (stream.ready()) {
              if (pushed.get() == limit) {
                stream.end();
              } else {
                stream.push(bytes(itemBytes, pushed.getAndIncrement()));
              }
            }
          });
    }
  }

  /** Receives items, and optionally returns their credit. */
  private static final class Collector implements StreamReceiver {
    final List<Integer> firstBytes = Collections.synchronizedList(new ArrayList<>());
    final CompletableFuture<TransportException> end = new CompletableFuture<>();
    final CompletableFuture<Void> first = new CompletableFuture<>();
    private final boolean consumes;

    Collector(boolean consumes) {
      this.consumes = consumes;
    }

    @Override
    public void onItem(StreamCall call, ByteBuf item) {
      firstBytes.add((int) item.getUnsignedByte(item.readerIndex()));
      if (consumes) {
        call.consumed(item.readableBytes());
      }
      first.complete(null);
    }

    @Override
    public void onEnd(StreamCall call, TransportException failure) {
      end.complete(failure);
    }
  }

  @Test
  void aStreamDeliversItsItemsInOrderAndItsEnd() {
    handlers.on(COUNT, new Counter(2000, 100));
    Collector collector = new Collector(true);
    connectedPeer().stream(COUNT, text("x"), Peer.NO_DEADLINE, 4096, collector);
    assertEquals(null, await(collector.end));
    assertEquals(
        IntStream.range(0, 2000).map(i -> i & 0xFF).boxed().toList(), collector.firstBytes);
  }

  @Test
  void aStreamWhoseReceiverDoesNotConsumeStopsAtItsCredit() {
    Counter counter = new Counter(Integer.MAX_VALUE, 1000);
    handlers.on(COUNT, counter);
    Peer peer = connectedPeer();
    Collector collector = new Collector(false);
    peer.stream(COUNT, text("x"), Peer.NO_DEADLINE, 10_000, collector);
    await(collector.first);
    // After everything that the stream sent.
    take(await(peer.call(ECHO, text("x"), LONG)));
    assertEquals(10, counter.pushed.get());
    assertEquals(10, collector.firstBytes.size());
    assertThrows(IllegalStateException.class, () -> counter.streams.getFirst().push(text("more")));
  }

  @Test
  void cancellingAStreamEndsItOnBothSides() {
    Counter counter = new Counter(Integer.MAX_VALUE, 1000);
    handlers.on(COUNT, counter);
    Peer peer = connectedPeer();
    Collector collector = new Collector(true);
    StreamCall call = peer.stream(COUNT, text("x"), Peer.NO_DEADLINE, 10_000, collector);
    await(collector.first);
    call.cancel();
    assertEquals(Reason.CANCELLED, await(collector.end).reason());
    take(await(peer.call(ECHO, text("x"), LONG)));
    assertTrue(counter.streams.getFirst().closed());
  }

  @Test
  void aStreamEndsWithTheHandlersError() {
    handlers.on(
        COUNT,
        request -> {
          ReplyStream stream = request.openStream();
          stream.push(text("one"));
          stream.fail(SqlState.DATA_CORRUPTED, "torn");
        });
    Collector collector = new Collector(true);
    connectedPeer().stream(COUNT, text("x"), LONG, 10_000, collector);
    assertEquals(SqlState.DATA_CORRUPTED, await(collector.end).state());
    assertEquals(1, collector.firstBytes.size());
  }

  @Test
  void aStreamEndsWithItsConnectionAndItsDeadline() {
    handlers.on(COUNT, request -> request.openStream());
    Peer peer = connectedPeer();
    Collector late = new Collector(true);
    peer.stream(COUNT, text("x"), SHORT, 10_000, late);
    assertEquals(Reason.TIMEOUT, await(late.end).reason());
    Collector cut = new Collector(true);
    peer.stream(COUNT, text("x"), Peer.NO_DEADLINE, 10_000, cut);
    take(await(peer.call(ECHO, text("x"), LONG)));
    peer.close();
    assertEquals(Reason.DISCONNECTED, await(cut.end).reason());
  }

  @Test
  void aStreamAnsweredByOneReplyAndACallAnsweredByAStreamAreErrors() {
    handlers.on(COUNT, request -> request.openStream());
    Peer peer = connectedPeer();
    Collector collector = new Collector(true);
    peer.stream(ECHO, text("x"), LONG, 10_000, collector);
    assertEquals(SqlState.PROTOCOL_VIOLATION, await(collector.end).state());
    assertEquals(SqlState.INTERNAL_ERROR, failure(peer.call(COUNT, text("x"), LONG)).state());
  }

  @Test
  void metricsCountMessagesByType() {
    take(await(connectedPeer().call(ECHO, text("x"), LONG)));
    assertEquals(
        1,
        client
            .meters()
            .counter("gauss.transport.messages", "direction", "sent", "type", "test.echo")
            .count());
    assertEquals(1, client.meters().timer("gauss.transport.call", "type", "test.echo").count());
  }
}
