package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLSocket;

/** Asks a node of a cluster to take this machine in. */
public final class JoinClient {
  private static final int CONNECT_MILLIS = 10_000;
  private static final long ANSWER_MILLIS = 60_000;

  private JoinClient() {}

  /**
   * @param host where the node is reached, with its port
   * @param key the public key of the new node
   * @param wish what it is to be
   * @throws GaussException 08006 when there is no connection, 08004 when it is not the token's
   *     cluster
   */
  public static JoinAnswer ask(
      JoinToken token, String host, int port, byte[] key, JoinRequest.Wish wish) {
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
        JoinWire.write(socket, JoinRequest.of(token, key, wish));
        return checked(JoinWire.read(socket, JoinAnswer.class, ANSWER_MILLIS), token);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new GaussException(
          SqlState.CONNECTION_FAILURE,
          "%s:%d does not take this machine in: %s".formatted(host, port, reason(e)),
          e);
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
