package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Locale;

/** Encryption of client connections with one certificate. Immutable, thread-safe. */
public final class Tls {
  private final SslContext context;
  private final byte[] endPoint;
  private final byte[] certificateHash;

  private Tls(SslContext context, byte[] endPoint, byte[] certificateHash) {
    this.context = context;
    this.certificateHash = certificateHash;
    this.endPoint = endPoint;
  }

  /**
   * Reads certificate and key.
   *
   * @param certificate PEM, the server's own first, then those of its issuers
   * @param key PEM, PKCS #8, without a password
   * @throws GaussException 22023 when one of them cannot be used
   */
  public static Tls of(Path certificate, Path key) {
    try {
      SslContext context =
          SslContextBuilder.forServer(certificate.toFile(), key.toFile())
              .sslProvider(SslProvider.JDK)
              .protocols("TLSv1.3", "TLSv1.2")
              .build();
      try (InputStream in = Files.newInputStream(certificate)) {
        X509Certificate first =
            (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        return new Tls(context, endPoint(first), ForwardTls.hash(first));
      }
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "certificate %s and key %s cannot be used: %s"
              .formatted(certificate, key, e.getMessage()),
          e);
    }
  }

  /**
   * tls-server-end-point of RFC 5929: the certificate hashed by its signature's hash, SHA-256 in
   * place of weaker ones; null when the signature names no hash.
   */
  private static byte[] endPoint(X509Certificate certificate) throws GeneralSecurityException {
    String signature = certificate.getSigAlgName().toUpperCase(Locale.ROOT);
    int with = signature.indexOf("WITH");
    if (with < 0) {
      return null;
    }
    String hash =
        switch (signature.substring(0, with)) {
          case "MD5", "SHA1", "SHA256" -> "SHA-256";
          case "SHA224" -> "SHA-224";
          case "SHA384" -> "SHA-384";
          case "SHA512" -> "SHA-512";
          default -> null;
        };
    return hash == null ? null : MessageDigest.getInstance(hash).digest(certificate.getEncoded());
  }

  SslHandler handler(ByteBufAllocator allocator) {
    return context.newHandler(allocator);
  }

  /** SHA-256 of the certificate. */
  public byte[] certificateHash() {
    return certificateHash.clone();
  }

  /** Data for channel binding; null when the certificate allows none. */
  byte[] endPoint() {
    return endPoint;
  }
}
