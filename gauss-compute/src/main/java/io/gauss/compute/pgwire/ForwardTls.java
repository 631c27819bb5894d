package io.gauss.compute.pgwire;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509TrustManager;

/**
 * Encryption towards another node's port for clients. The node has sent the hash of its certificate
 * over the channel between nodes, so nothing else has to be trusted.
 */
final class ForwardTls {
  private ForwardTls() {}

  /** SHA-256 of a certificate. */
  static byte[] hash(X509Certificate certificate) throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
  }

  /**
   * @param certificate hash of the other node's certificate
   */
  static SslHandler handler(byte[] certificate, ByteBufAllocator allocator) throws SSLException {
    SslContext context =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3", "TLSv1.2")
            .endpointIdentificationAlgorithm(null)
            .trustManager(new Pinned(certificate))
            .build();
    return context.newHandler(allocator);
  }

  /** Trusts exactly one certificate. */
  private static final class Pinned implements X509TrustManager {
    private final byte[] hash;

    Pinned(byte[] hash) {
      this.hash = hash;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      try {
        if (chain.length == 0 || !MessageDigest.isEqual(hash, hash(chain[0]))) {
          throw new CertificateException("not the certificate that the node has told");
        }
      } catch (GeneralSecurityException e) {
        throw e instanceof CertificateException c ? c : new CertificateException(e);
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("it is not a client's");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
