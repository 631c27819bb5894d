package io.gauss.common.transport.tcp;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.PeerTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import javax.net.ssl.SSLException;

/**
 * Encryption between nodes. Both sides present a certificate that the cluster's authority signed.
 * Names in certificates are not compared with addresses: the hello proves the node's identity with
 * the cluster secret. Immutable, thread-safe.
 */
public final class TransportTls {
  private final SslContext accepting;
  private final SslContext connecting;

  private TransportTls(SslContext accepting, SslContext connecting) {
    this.accepting = accepting;
    this.connecting = connecting;
  }

  /**
   * Reads the files.
   *
   * @param certificate PEM, this node's own first, then the certificates that signed it
   * @param key PEM, PKCS #8, without a password
   * @param authority PEM, the certificates that must have signed those of other nodes
   * @throws GaussException 22023 when one of them cannot be used
   */
  static TransportTls of(Path certificate, Path key, Path authority) {
    try {
      return new TransportTls(
          SslContextBuilder.forServer(certificate.toFile(), key.toFile())
              .trustManager(authority.toFile())
              .clientAuth(ClientAuth.REQUIRE)
              .sslProvider(SslProvider.JDK)
              .protocols("TLSv1.3")
              .build(),
          SslContextBuilder.forClient()
              .keyManager(certificate.toFile(), key.toFile())
              .trustManager(authority.toFile())
              .endpointIdentificationAlgorithm(null)
              .sslProvider(SslProvider.JDK)
              .protocols("TLSv1.3")
              .build());
    } catch (SSLException | IllegalArgumentException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "certificate %s, key %s and authority %s cannot be used: %s"
              .formatted(certificate, key, authority, e.getMessage()),
          e);
    }
  }

  /**
   * The same from settings.
   *
   * @param files null = not encrypted; then the result is also null
   */
  public static TransportTls of(PeerTls files) {
    return files == null ? null : of(files.certificate(), files.key(), files.authority());
  }

  SslHandler handler(boolean outgoing, ByteBufAllocator allocator) {
    return (outgoing ? connecting : accepting).newHandler(allocator);
  }
}
