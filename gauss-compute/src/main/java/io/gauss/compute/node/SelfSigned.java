package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * Makes a self-signed certificate: it protects against eavesdropping, but does not identify the
 * server to clients. Keys and signatures are the JDK's; Bouncy Castle assembles the certificate
 * itself, as Java has no public interface for that.
 */
final class SelfSigned {
  private static final int SERIAL_BITS = 64;

  /** For clients whose clocks are behind. */
  private static final Duration VALID_BEFORE = Duration.ofHours(1);

  private static final Duration VALID = Duration.ofDays(3650);

  private SelfSigned() {}

  /**
   * Creates certificate and key unless both exist.
   *
   * @throws GaussException 58030 when they cannot be created
   */
  static void ensure(Path certificate, Path key) {
    if (Files.exists(certificate) && Files.exists(key)) {
      return;
    }
    try {
      Files.createDirectories(certificate.getParent());
      KeyPair pair = keyPair();
      write(key, "PRIVATE KEY", pair.getPrivate().getEncoded(), "rw-------");
      Instant made = Files.getLastModifiedTime(key).toInstant();
      write(certificate, "CERTIFICATE", certificate(pair, made), "rw-r--r--");
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new GaussException(SqlState.IO_ERROR, "no certificate could be made: " + e, e);
    }
  }

  private static KeyPair keyPair() throws GeneralSecurityException {
    KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
    keys.initialize(new ECGenParameterSpec("secp256r1"));
    return keys.generateKeyPair();
  }

  private static byte[] certificate(KeyPair pair, Instant made)
      throws IOException, GeneralSecurityException, OperatorCreationException {
    X500Name name = new X500Name("CN=localhost");
    X509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            name,
            new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(SERIAL_BITS - 1),
            Date.from(made.minus(VALID_BEFORE)),
            Date.from(made.plus(VALID)),
            name,
            pair.getPublic());
    GeneralName[] names = {
      new GeneralName(GeneralName.dNSName, "localhost"),
      new GeneralName(GeneralName.iPAddress, "127.0.0.1")
    };
    builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
    builder.addExtension(
        Extension.subjectKeyIdentifier,
        false,
        new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
    return builder
        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()))
        .getEncoded();
  }

  private static void write(Path file, String kind, byte[] der, String permissions)
      throws IOException {
    StringWriter text = new StringWriter();
    try (PemWriter pem = new PemWriter(text)) {
      pem.writeObject(new PemObject(kind, der));
    }
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
    Files.writeString(file, text.toString());
  }
}
