package io.gauss.common.transport.tcp;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.CertifiedNode;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.PeerTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Encryption between nodes. Both sides present a certificate that the cluster's authority signed.
 * Names in certificates are not compared with addresses, which say nothing about who a node is, but
 * with the node's number in the hello, if they name nodes ({@link CertifiedNode}). With those of an
 * operator's own authority the secret of the cluster proves the identity alone. Immutable,
 * thread-safe.
 */
public final class TransportTls {
  private final SslContext accepting;
  private final SslContext connecting;

  /** The node that this side's certificate names; null = none. */
  private final CertifiedNode own;

  private TransportTls(SslContext accepting, SslContext connecting, CertifiedNode own) {
    this.own = own;
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
              .build(),
          CertifiedNode.of(read(certificate)).orElse(null));
    } catch (IOException | CertificateException | IllegalArgumentException e) {
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
   * @param self who is to have the certificate
   * @throws GaussException 22023 when one of the files cannot be used, or the certificate is that
   *     of another node
   */
  public static TransportTls of(PeerTls files, NodeIdentity self) {
    if (files == null) {
      return null;
    }
    TransportTls tls = of(files.certificate(), files.key(), files.authority());
    if (tls.own != null && tls.own.member(self.role()) != self.node()) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "%s cannot have certificate %s: it is that of node %d, and would make it node %d"
              .formatted(self, files.certificate(), tls.own.node(), tls.own.member(self.role())));
    }
    return tls;
  }

  /** The first certificate of a file. */
  private static X509Certificate read(Path file) throws IOException, CertificateException {
    try (InputStream in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  /**
   * Why the other side of a connection cannot be who it says it is; null when nothing speaks
   * against that.
   *
   * @param session of the connection, whose keys have been agreed on
   * @param node the number that it claims
   */
  String objection(SSLSession session, int node, NodeRole role) {
    X509Certificate certificate;
    try {
      certificate = (X509Certificate) session.getPeerCertificates()[0];
    } catch (SSLPeerUnverifiedException e) {
      throw new IllegalStateException("both sides have to present a certificate", e);
    }
    CertifiedNode named = CertifiedNode.of(certificate).orElse(null);
    if (named == null && own != null) {
      return "the certificate of who says that it is node %d names no node of this cluster: %s, signed by %s"
          .formatted(
              node,
              certificate.getSubjectX500Principal().getName(),
              certificate.getIssuerX500Principal().getName());
    }
    if (named != null && named.member(role) != node) {
      return "who says that it is node %d (%s) has the certificate of node %d"
          .formatted(node, role.name().toLowerCase(Locale.ROOT), named.node());
    }
    return null;
  }

  SslHandler handler(boolean outgoing, ByteBufAllocator allocator) {
    return (outgoing ? connecting : accepting).newHandler(allocator);
  }
}
