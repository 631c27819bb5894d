package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.EventLimit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where machines ask to become nodes. Anybody may connect: a few connections at a time are read,
 * for ten seconds each, and others wait until one of them ends. Thread-safe.
 */
public final class JoinServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JoinServer.class);
  private static final int AT_A_TIME = 8;
  private static final int BACKLOG = 32;
  private static final long REQUEST_MILLIS = 10_000;

  /** With the handshake before it, and the answer. */
  private static final long CONNECTION_MILLIS = 3 * REQUEST_MILLIS;

  private static final int LINES_PER_MINUTE = 20;

  private final SSLServerSocket listening;
  private final Function<JoinRequest, JoinAnswer> admission;
  private final Semaphore places = new Semaphore(AT_A_TIME);
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final EventLimit lines = new EventLimit(LINES_PER_MINUTE, TimeUnit.MINUTES.toNanos(1));

  /**
   * Listens.
   *
   * @param admission decides; it may throw {@link JoinRefused}
   * @throws GaussException 58030 when the address or port is not available, or the certificate
   *     cannot be used
   */
  public static JoinServer start(
      InetSocketAddress address,
      NodeCredentials credentials,
      Function<JoinRequest, JoinAnswer> admission) {
    try {
      if (address.isUnresolved()) {
        throw new IOException("the name is not known");
      }
      SSLServerSocket socket =
          (SSLServerSocket)
              JoinTls.ofNode(credentials)
                  .getServerSocketFactory()
                  .createServerSocket(address.getPort(), BACKLOG, address.getAddress());
      socket.setEnabledProtocols(JoinTls.PROTOCOLS);
      JoinServer server = new JoinServer(socket, admission);
      Thread.ofPlatform().name("gauss-join").daemon().start(server::accept);
      return server;
    } catch (IOException | GeneralSecurityException e) {
      throw new GaussException(
          SqlState.IO_ERROR,
          "could not listen for joining nodes on " + address + ": " + e.getMessage(),
          e);
    }
  }

  private JoinServer(SSLServerSocket listening, Function<JoinRequest, JoinAnswer> admission) {
    this.listening = listening;
    this.admission = admission;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        places.acquire();
        SSLSocket socket = (SSLSocket) listening.accept();
        executor.execute(() -> serve(socket));
        executor.execute(() -> endLater(socket));
      } catch (IOException e) {
        places.release();
        if (!listening.isClosed()) {
          LOG.warn("no connection of a joining node can be accepted: {}", e.toString());
          pause();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Too many open files, for example: that does not end within microseconds. */
  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One who sends a byte now and then does not keep a place for ever. */
  private static void endLater(SSLSocket socket) {
    try {
      TimeUnit.MILLISECONDS.sleep(CONNECTION_MILLIS);
      socket.close();
    } catch (IOException e) {
      LOG.debug("a connection was closed already", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(SSLSocket socket) {
    String from = String.valueOf(socket.getRemoteSocketAddress());
    try (socket) {
      JoinWire.write(
          socket, answer(JoinWire.read(socket, JoinRequest.class, REQUEST_MILLIS), from));
    } catch (IOException e) {
      say("{} wanted to join and failed: {}", from, e.getMessage());
    } finally {
      places.release();
    }
  }

  private JoinAnswer answer(JoinRequest request, String from) {
    if (request.version() != JoinRequest.VERSION) {
      return JoinAnswer.refusal(
          "the node speaks version %d of joining, this cluster version %d"
              .formatted(request.version(), JoinRequest.VERSION));
    }
    try {
      JoinAnswer answer = admission.apply(request);
      LOG.info("{} has become node {}: {}", from, answer.node(), request);
      return answer;
    } catch (JoinRefused e) {
      say("{} is not taken in: {}", from, e.getMessage());
      return JoinAnswer.refusal(e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("{} could not be taken in", from, e);
      return JoinAnswer.refusal("the node that was asked has failed; its log says why");
    }
  }

  /** Anybody can cause these lines. */
  private void say(String format, String from, String what) {
    if (lines.arrives(System.nanoTime()) != EventLimit.TOO_MANY) {
      LOG.warn(format, from, what);
    }
  }

  /** The port on which it listens. */
  int port() {
    return listening.getLocalPort();
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      LOG.warn("while closing the port for joining nodes", e);
    }
    executor.shutdownNow();
  }
}
