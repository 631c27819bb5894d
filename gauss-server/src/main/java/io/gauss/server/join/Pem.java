package io.gauss.server.join;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.bouncycastle.asn1.sec.SECNamedCurves;
import org.bouncycastle.math.ec.ECPoint;

/** Keys and certificates as text. All keys are of the curve P-256. */
final class Pem {
  private static final String KEYS = "EC";
  private static final String CURVE = "secp256r1";
  static final String SIGNATURE = "SHA256withECDSA";
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PRIVATE_KEY = "PRIVATE KEY";
  private static final int LINE = 64;

  private Pem() {}

  static KeyPair newKey() throws GeneralSecurityException {
    KeyPairGenerator keys = KeyPairGenerator.getInstance(KEYS);
    keys.initialize(new ECGenParameterSpec(CURVE), new SecureRandom());
    return keys.generateKeyPair();
  }

  static String of(X509Certificate certificate) throws GeneralSecurityException {
    return block(CERTIFICATE, certificate.getEncoded());
  }

  /** PKCS #8, without a password. */
  static String of(PrivateKey key) {
    return block(PRIVATE_KEY, key.getEncoded());
  }

  private static String block(String kind, byte[] der) {
    String lines =
        Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, lines);
  }

  /** One or several certificates, in their order. */
  static List<X509Certificate> certificates(String text) throws GeneralSecurityException {
    Collection<?> found =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
    return found.stream().map(X509Certificate.class::cast).toList();
  }

  static PrivateKey privateKey(String text) throws GeneralSecurityException {
    String base64 = text.replaceAll("-----[A-Z ]+-----", "");
    return KeyFactory.getInstance(KEYS)
        .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64)));
  }

  /**
   * @param der as {@link PublicKey#getEncoded} has it
   */
  static PublicKey publicKey(byte[] der) throws GeneralSecurityException {
    return KeyFactory.getInstance(KEYS).generatePublic(new X509EncodedKeySpec(der));
  }

  /** The public key that belongs to a private one. */
  static PublicKey publicKey(PrivateKey key) throws GeneralSecurityException {
    ECPrivateKey own = (ECPrivateKey) key;
    ECPoint point = SECNamedCurves.getByName(CURVE).getG().multiply(own.getS()).normalize();
    return KeyFactory.getInstance(KEYS)
        .generatePublic(
            new ECPublicKeySpec(
                new java.security.spec.ECPoint(
                    point.getAffineXCoord().toBigInteger(), point.getAffineYCoord().toBigInteger()),
                own.getParams()));
  }

  static byte[] signature(PrivateKey key, byte[] text) throws GeneralSecurityException {
    Signature signing = Signature.getInstance(SIGNATURE);
    signing.initSign(key);
    signing.update(text);
    return signing.sign();
  }

  /** Whether the one who has the private key has signed the text. */
  static boolean isSigned(PublicKey key, byte[] text, byte[] signature) {
    try {
      Signature checking = Signature.getInstance(SIGNATURE);
      checking.initVerify(key);
      checking.update(text);
      return checking.verify(signature);
    } catch (GeneralSecurityException e) {
      return false; // it is none
    }
  }

  static byte[] fingerprint(X509Certificate certificate) throws GeneralSecurityException {
    return sha256(certificate.getEncoded());
  }

  static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }
}
