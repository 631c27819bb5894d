package io.gauss.common.transport.tcp;

import static io.gauss.common.transport.TestNodes.bytes;
import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.ConnectionListener;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Leaks;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportSettings;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Faults of real sockets, caused by a proxy between node 2 and node 1. */
class TcpFaultTest {
  private static final MessageType ECHO = new MessageType(1, "test.echo");
  private static final MessageType SILENT = new MessageType(2, "test.silent");
  private static final long LONG = TimeUnit.SECONDS.toNanos(60);
  private static final TransportSettings QUICK_PINGS =
      TransportSettings.DEFAULTS.withPings(Duration.ofMillis(100), Duration.ofSeconds(2));

  /** For a side that stands still on purpose. */
  private static final TransportSettings PATIENT_PINGS =
      TransportSettings.DEFAULTS.withPings(Duration.ofMillis(500), Duration.ofMinutes(5));

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final CompletableFuture<String> lostByServer = new CompletableFuture<>();
  private final Handlers handlers =
      new Handlers().on(ECHO, r -> r.reply(r.payload().retain())).on(SILENT, r -> {});
  private TransportConfig server = config(1, NodeRole.STORAGE);
  private TransportConfig client = config(2, NodeRole.COMPUTE);

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable resource : opened.reversed()) {
      resource.close();
    }
  }

  @AfterAll
  static void nothingWasLeaked() {
    Leaks.check();
  }

  private <T extends AutoCloseable> T opened(T resource) {
    opened.add(resource);
    return resource;
  }

  private static TcpOptions options(TransportTls tls) {
    return new TcpOptions(SocketIo.best(), 1, tls);
  }

  private NodeAddress listen() {
    Transport transport = opened(new TcpTransport(server, options(null)));
    transport.addListener(
        new ConnectionListener() {
          @Override
          public void connected(RemoteNode node, boolean outgoing) {}

          @Override
          public void disconnected(RemoteNode node, boolean outgoing, String reason) {
            lostByServer.complete(reason);
          }
        });
    return transport.listen(new NodeAddress("127.0.0.1", 0), handlers);
  }

  private Peer connect(NodeAddress address) {
    return opened(new TcpTransport(client, options(null))).connect(address, 1);
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static TransportException failure(CompletableFuture<?> future) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> await(future.thenApply(x -> x)));
    return (TransportException) thrown.getCause();
  }

  /** Forwards bytes; on command it stops, corrupts one, or adds some, in the client's direction. */
  private final class Proxy implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new ArrayList<>();
    private volatile boolean stalled;
    private final AtomicReference<UnaryOperator<byte[]>> attack =
        new AtomicReference<>(UnaryOperator.identity());

    private Proxy(NodeAddress target) throws IOException {
      Thread.startVirtualThread(() -> accept(target));
    }

    private NodeAddress address() {
      return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    /** What the client sends next is changed, and nothing later: it connects anew at once. */
    private void attackNext(UnaryOperator<byte[]> how) {
      attack.set(how);
    }

    private void accept(NodeAddress target) {
      try {
        while (true) {
          Socket from = listener.accept();
          Socket to = new Socket("127.0.0.1", target.port());
          synchronized (sockets) {
            sockets.add(from);
            sockets.add(to);
          }
          Thread.startVirtualThread(() -> pump(from, to, true));
          Thread.startVirtualThread(() -> pump(to, from, false));
        }
      } catch (IOException e) {
        close();
      }
    }

    private void pump(Socket from, Socket to, boolean fromClient) {
      byte[] buffer = new byte[65_536];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          if (stalled) {
            continue;
          }
          byte[] bytes = Arrays.copyOf(buffer, n);
          out.write(fromClient ? attack.getAndSet(UnaryOperator.identity()).apply(bytes) : bytes);
        }
        if (!stalled) {
          to.shutdownOutput();
        }
      } catch (IOException e) {
        closeQuietly(from);
        closeQuietly(to);
      }
    }

    private static void closeQuietly(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      try {
        listener.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      synchronized (sockets) {
        sockets.forEach(Proxy::closeQuietly);
      }
    }
  }

  @Test
  void aConnectionOverWhichNothingComesAnyMoreIsGivenUpByBothSides() throws Exception {
    server = server.withSettings(QUICK_PINGS);
    client = client.withSettings(QUICK_PINGS);
    Proxy proxy = opened(new Proxy(listen()));
    Peer peer = connect(proxy.address());
    await(peer.connected());
    CompletableFuture<ByteBuf> call = peer.call(SILENT, text("x"), LONG);
    take(await(peer.call(ECHO, text("y"), LONG)));
    proxy.stalled = true;
    TransportException failure = failure(call);
    assertEquals(TransportException.Reason.DISCONNECTED, failure.reason());
    assertTrue(failure.maybeExecuted());
    assertTrue(failure.getMessage().contains("nothing came for"), failure.getMessage());
    assertTrue(await(lostByServer).contains("nothing came for"));
  }

  @Test
  void anIdleConnectionIsKeptByPings() {
    server = server.withSettings(QUICK_PINGS);
    client = client.withSettings(QUICK_PINGS);
    Peer peer = connect(listen());
    await(peer.connected());
    // As long as two timeouts of silence; the answer comes on the same connection.
    assertEquals(
        TransportException.Reason.TIMEOUT,
        failure(peer.call(SILENT, text("x"), Duration.ofSeconds(4).toNanos())).reason());
    take(await(peer.call(ECHO, text("x"), LONG)));
    assertEquals(0, client.meters().counter("gauss.transport.reconnects").count());
    assertFalse(lostByServer.isDone());
  }

  @Test
  void aSpoiltByteEndsTheConnectionWithTheReasonOnBothSides() throws Exception {
    Proxy proxy = opened(new Proxy(listen()));
    Peer peer = connect(proxy.address());
    await(peer.connected());
    proxy.attackNext(
        bytes -> {
          bytes[bytes.length - 1] ^= 1;
          return bytes;
        });
    TransportException failure = failure(peer.call(ECHO, bytes(1000, 0), LONG));
    assertTrue(failure.getMessage().contains("wrong checksum"), failure.getMessage());
    assertTrue(await(lostByServer).contains("wrong checksum"));
    await(peer.connected());
    assertEquals("healed", take(await(peer.call(ECHO, text("healed"), LONG))));
  }

  /** As one who sits between the nodes, and does not have their secret. */
  private void attack(UnaryOperator<byte[]> attack) throws Exception {
    Proxy proxy = opened(new Proxy(listen()));
    Peer peer = connect(proxy.address());
    await(peer.connected());
    assertEquals("before", take(await(peer.call(ECHO, text("before"), LONG))));
    proxy.attackNext(attack);
    TransportException failure = failure(peer.call(SILENT, text("transfer 100"), LONG));
    assertTrue(failure.getMessage().contains("not the next one"), failure.getMessage());
    assertTrue(await(lostByServer).contains("not the next one"));
    await(peer.connected());
    assertEquals("after", take(await(peer.call(ECHO, text("after"), LONG))));
  }

  @Test
  void aChangedMessageIsNoticedAlthoughItsChecksumIsRight() throws Exception {
    attack(
        message -> {
          message[message.length - 1] ^= 1;
          return withChecksum(message);
        });
  }

  @Test
  void aRepeatedMessageIsNoticed() throws Exception {
    attack(
        message -> {
          byte[] twice = Arrays.copyOf(message, 2 * message.length);
          System.arraycopy(message, 0, twice, message.length, message.length);
          return twice;
        });
  }

  @Test
  void aMessageWithoutItsCodeIsNoticed() throws Exception {
    attack(
        message -> {
          ByteBuffer bare = ByteBuffer.allocate(message.length).order(ByteOrder.LITTLE_ENDIAN);
          bare.put(message).putShort(12, (short) 0);
          return withChecksum(bare.array());
        });
  }

  /** The last message of these bytes gets the checksum of its content. */
  private static byte[] withChecksum(byte[] messages) {
    ByteBuffer all = ByteBuffer.wrap(messages).order(ByteOrder.LITTLE_ENDIAN);
    int last = 0;
    while (last + all.getInt(last) < messages.length) {
      last += all.getInt(last);
    }
    CRC32C crc = new CRC32C();
    crc.update(messages, last + 8, messages.length - last - 8);
    all.putInt(last + 4, (int) crc.getValue());
    return messages;
  }

  @Test
  void garbageInPlaceOfAHelloIsClosedAndDoesNoHarm() throws Exception {
    NodeAddress address = listen();
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      try (Socket socket = new Socket("127.0.0.1", address.port())) {
        byte[] garbage = new byte[random.nextInt(1, 5000)];
        random.nextBytes(garbage);
        garbage[garbage.length - 1] |= 1;
        if (garbage.length > 3) {
          garbage[3] |= 0x40; // a length that is not allowed
          socket.getOutputStream().write(garbage);
          assertEquals(-1, socket.getInputStream().read(), "garbage " + i);
        }
      }
    }
    assertEquals("fine", take(await(connect(address).call(ECHO, text("fine"), LONG))));
  }

  @Test
  void aMessageLargerThanTheReceiverAllowsEndsTheConnectionWithTheReason() {
    server = server.withSettings(TransportSettings.DEFAULTS.withLimits(8192, 100, 1 << 20));
    Peer peer = connect(listen());
    await(peer.connected());
    TransportException failure = failure(peer.call(ECHO, bytes(100_000, 0), LONG));
    assertEquals(TransportException.Reason.DISCONNECTED, failure.reason());
    assertTrue(failure.getMessage().contains("is not between 64 and 8256"), failure.getMessage());
  }

  @Test
  void aClientThatDoesNotReadKeepsTheServerFromMakingMoreAnswers() {
    server = server.withSettings(PATIENT_PINGS);
    client = client.withSettings(PATIENT_PINGS);
    AtomicInteger answers = new AtomicInteger();
    MessageType counted = new MessageType(4, "test.counted");
    handlers.on(
        counted,
        r -> {
          answers.incrementAndGet();
          r.reply(bytes(1 << 20, 0));
        });
    NodeAddress address = listen();
    Peer peer = connect(address);
    await(peer.connected());
    List<CompletableFuture<ByteBuf>> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(peer.call(counted, text("x"), LONG));
    }
    // After the calls: from here on the client's event loop reads nothing.
    CompletableFuture<Void> released = new CompletableFuture<>();
    peer.execute(released::join);
    client = config(3, NodeRole.COMPUTE);
    Peer other = connect(address);
    for (int i = 0; i < 100; i++) {
      // Each of them is a turn of the server's event loop, in which it could produce more answers.
      take(await(other.call(ECHO, text("turn"), LONG)));
    }
    int made = answers.get();
    released.complete(null);
    assertTrue(made < 50, "the network's buffers hold some, but not " + made + " MB");
    calls.forEach(call -> await(call).release());
    assertEquals(100, answers.get());
  }

  @Test
  void aKeyOfAnotherAuthorityIsRefused() {
    Transport one = opened(new TcpTransport(server, options(TcpHarness.tls("one"))));
    NodeAddress address = one.listen(new NodeAddress("127.0.0.1", 0), handlers);
    Peer peer =
        opened(new TcpTransport(client, options(TcpHarness.tls("two")))).connect(address, 1);
    TransportException failure = failure(peer.call(ECHO, text("x"), LONG));
    assertEquals(TransportException.Reason.DISCONNECTED, failure.reason());
    assertFalse(failure.maybeExecuted());
    assertTrue(failure.getMessage().contains("certif"), failure.getMessage());
  }

  @Test
  void aPlainClientIsRefusedByAServerWithTls() {
    Transport one = opened(new TcpTransport(server, options(TcpHarness.tls("one"))));
    NodeAddress address = one.listen(new NodeAddress("127.0.0.1", 0), handlers);
    TransportException failure = failure(connect(address).call(ECHO, text("x"), LONG));
    assertEquals(TransportException.Reason.DISCONNECTED, failure.reason());
    assertFalse(failure.maybeExecuted());
    assertTrue(failure.getMessage().contains("wants encryption (peer.tls)"), failure.getMessage());
  }
}
