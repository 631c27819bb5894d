package io.gauss.common.transport.tcp;

import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Leaks;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportSettings;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What somebody can do to nodes who does not have their secret. */
class TcpStrangersTest {
  private static final MessageType ECHO = new MessageType(1, "test.echo");
  private static final long LONG = TimeUnit.SECONDS.toNanos(60);
  private static final int MANY = 513;

  private final List<AutoCloseable> opened = new CopyOnWriteArrayList<>(); // a server adds to it
  private final Handlers handlers = new Handlers().on(ECHO, r -> r.reply(r.payload().retain()));

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

  private NodeAddress listen(TransportConfig config, TransportTls tls) {
    return opened(new TcpTransport(config, new TcpOptions(SocketIo.best(), 1, tls)))
        .listen(new NodeAddress("127.0.0.1", 0), handlers);
  }

  private Peer connect(int port, TransportTls tls) {
    TcpOptions options = new TcpOptions(SocketIo.best(), 1, tls);
    return opened(new TcpTransport(config(2, NodeRole.COMPUTE), options))
        .connect(new NodeAddress("127.0.0.1", port), 1);
  }

  private static TransportException failure(CompletableFuture<?> future) {
    CompletableFuture<?> waited = future.orTimeout(60, TimeUnit.SECONDS);
    return (TransportException) assertThrows(CompletionException.class, waited::join).getCause();
  }

  private ServerSocket listener() throws IOException {
    return opened(new ServerSocket(0, 10, InetAddress.getLoopbackAddress()));
  }

  /** A message of kind REFUSE: see the format's page. */
  private static byte[] refusal(SqlState state, String reason) {
    byte[] text = (state.code() + reason).getBytes(StandardCharsets.UTF_8);
    ByteBuffer message = ByteBuffer.allocate(48 + text.length).order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(0, message.capacity()).put(9, (byte) 5).put(48, text);
    CRC32C crc = new CRC32C();
    crc.update(message.array(), 8, message.capacity() - 8);
    return message.putInt(4, (int) crc.getValue()).array();
  }

  @Test
  void whoeverHasANodesPortCannotTellOthersThatTheyAreDead() throws Exception {
    ServerSocket stranger = listener();
    Thread.startVirtualThread(
        () -> {
          try {
            while (true) {
              Socket socket = stranger.accept();
              socket.getOutputStream().write(refusal(EpochGuard.DEAD, "epoch 1 of node 2 is dead"));
            }
          } catch (IOException e) {
            // the test is over
          }
        });
    Peer peer = connect(stranger.getLocalPort(), null);
    TransportException refused = failure(peer.connected());
    assertEquals(SqlState.CONNECTION_REJECTED, refused.state());
    assertNotEquals(EpochGuard.DEAD, failure(peer.call(ECHO, text("x"), LONG)).state());
  }

  /** What the log says of connections that never had a hello. */
  private ListAppender<ILoggingEvent> log() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.gauss.common.transport");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.list = new CopyOnWriteArrayList<>();
    lines.start();
    logger.addAppender(lines);
    opened.add(() -> logger.detachAppender(lines));
    return lines;
  }

  private static void say(int port, byte[] bytes) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.getOutputStream().write(bytes);
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      // it was reset, since not everything had been read
    }
  }

  /** Each connection has an event loop of its own, perhaps. */
  private static void awaitLines(ListAppender<ILoggingEvent> lines, int count)
      throws InterruptedException {
    long begin = System.nanoTime();
    while (lines.list.size() < count && System.nanoTime() - begin < LONG) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  void whatStrangersSendIsNotInTheLogButForItsBeginning() throws Exception {
    NodeAddress plain = listen(config(1, NodeRole.STORAGE), null);
    NodeAddress encrypted = listen(config(1, NodeRole.STORAGE), TcpHarness.tls("one"));
    ListAppender<ILoggingEvent> lines = log();
    say(plain.port(), refusal(SqlState.IO_ERROR, "no\nsuch".repeat(500)));
    awaitLines(lines, 1);
    say(encrypted.port(), new byte[5000]);
    awaitLines(lines, 2);
    List<String> said = lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertEquals(2, said.size(), said.toString());
    assertTrue(said.getFirst().contains("no such"), said.getFirst());
    assertTrue(said.getFirst().length() < 600, said.getFirst());
    assertTrue(said.getLast().endsWith("what came is not TLS"), said.getLast());
  }

  /** Decrypts what two nodes send each other, and encrypts it again. */
  private int man(NodeAddress inFrontOf) throws Exception {
    JdkSslContext accepting =
        (JdkSslContext)
            SslContextBuilder.forServer(file("one-node.crt"), file("one-node.key"))
                .sslProvider(SslProvider.JDK)
                .build();
    JdkSslContext connecting =
        (JdkSslContext)
            SslContextBuilder.forClient()
                .keyManager(file("one-node.crt"), file("one-node.key"))
                .trustManager(file("one-ca.crt"))
                .sslProvider(SslProvider.JDK)
                .build();
    ServerSocket man =
        opened(
            accepting
                .context()
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress()));
    Thread.startVirtualThread(
        () -> {
          try {
            while (true) {
              Socket from = opened(man.accept());
              Socket to =
                  opened(
                      connecting
                          .context()
                          .getSocketFactory()
                          .createSocket("127.0.0.1", inFrontOf.port()));
              Thread.startVirtualThread(() -> pump(from, to));
              Thread.startVirtualThread(() -> pump(to, from));
            }
          } catch (IOException e) {
            // the test is over
          }
        });
    return man.getLocalPort();
  }

  private static void pump(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } catch (IOException e) {
      // one of the nodes has ended the connection
    }
  }

  private static File file(String name) {
    return new File(TcpStrangersTest.class.getResource("/transport/" + name).getPath());
  }

  @Test
  void aCertificateOfTheAuthorityIsNotEnoughToBeBetweenTwoNodes() throws Exception {
    TransportTls tls = TcpHarness.tls("one");
    NodeAddress address = listen(config(1, NodeRole.STORAGE), tls);
    assertEquals(
        "direct",
        take(
            connect(address.port(), tls)
                .call(ECHO, text("direct"), LONG)
                .orTimeout(60, TimeUnit.SECONDS)
                .join()));
    TransportException refused = failure(connect(man(address), tls).connected());
    assertTrue(refused.getMessage().contains("somebody is between them"), refused.getMessage());
  }

  /** Nobody loses a place because the hello takes too long. */
  private static TransportSettings patient() {
    TransportSettings usual = TransportSettings.DEFAULTS;
    return new TransportSettings(
        usual.maxPayloadBytes(),
        usual.maxOutstandingCalls(),
        usual.maxOutstandingBytes(),
        Duration.ofHours(1),
        usual.minBackoff(),
        usual.maxBackoff(),
        usual.pingInterval(),
        usual.pingTimeout(),
        usual.maxClockJump());
  }

  @Test
  void connectionsThatSayNothingAreBoundedAndDoNotKeepNodesOut() throws Exception {
    NodeAddress address = listen(config(1, NodeRole.STORAGE).withSettings(patient()), null);
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      silent.add(opened(new Socket("127.0.0.1", address.port())));
    }
    silent.getFirst().setSoTimeout(60_000);
    assertEquals(-1, silent.getFirst().getInputStream().read(), "the oldest has lost its place");
    Peer peer = connect(address.port(), null);
    assertEquals(
        "x", take(peer.call(ECHO, text("x"), LONG).orTimeout(60, TimeUnit.SECONDS).join()));
    silent.getLast().setSoTimeout(1);
    assertThrows(
        java.net.SocketTimeoutException.class, () -> silent.getLast().getInputStream().read());
  }
}
