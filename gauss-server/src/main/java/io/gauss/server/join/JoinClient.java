package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLSocket;

/**
 * Asks a node of a cluster to take this machine in. That may be repeated with the same key, whether
 * or not an answer came: it is the same node then.
 */
public final class JoinClient {
  private static final int CONNECT_MILLIS = 10_000;
  private static final long ANSWER_MILLIS = 60_000;

  private JoinClient() {}

  /**
   * @param host where the node is reached, with its port
   * @param own those of the new node; a key is made if they have none
   * @param wish what it is to be
   * @throws GaussException 08006 when there is no connection, 08004 when it is not the token's
   *     cluster
   */
  public static JoinAnswer ask(
      JoinToken token, String host, int port, NodeCredentials own, JoinRequest.Wish wish) {
    JoinRequest request = JoinRequest.of(token, own, wish);
    try (Socket plain = new Socket()) {
      InetSocketAddress address = new InetSocketAddress(host, port);
      if (address.isUnresolved()) {
        throw new IOException("the name is not known");
      }
      plain.connect(address, CONNECT_MILLIS);
      try (SSLSocket socket =
          (SSLSocket)
              JoinTls.ofMachine(token.fingerprint())
                  .getSocketFactory()
                  .createSocket(plain, host, port, true)) {
        socket.setEnabledProtocols(JoinTls.PROTOCOLS);
        socket.setSoTimeout(CONNECT_MILLIS);
        socket.startHandshake();
        JoinWire.write(socket, request);
        return checked(JoinWire.read(socket, JoinAnswer.class, ANSWER_MILLIS), token);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new GaussException(
              SqlState.CONNECTION_FAILURE,
              "%s:%d does not take this machine in: %s".formatted(host, port, reason(e)),
              e)
          .hint("Whether or not it has got the request, the same command may be repeated.");
    }
  }

  private static JoinAnswer checked(JoinAnswer answer, JoinToken token)
      throws GeneralSecurityException {
    if (answer.refused() == null
        && !NodeCredentials.isOf(token.fingerprint(), answer.authority())) {
      throw new GaussException(
          SqlState.CONNECTION_REJECTED, "the node has sent the certificate of another authority");
    }
    return answer;
  }

  private static String reason(Throwable failure) {
    Throwable last = failure;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    return last.getMessage() == null ? last.toString() : last.getMessage();
  }
}
