package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SelfSignedTest {
  @TempDir Path directory;

  private Path certificate;
  private Path key;

  @BeforeEach
  void name() {
    certificate = directory.resolve("tls").resolve("server.crt");
    key = directory.resolve("tls").resolve("server.key");
  }

  private X509Certificate read() throws Exception {
    try (InputStream in = Files.newInputStream(certificate)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  @Test
  void theCertificateIsForThisMachineAndSignedByItsOwnKey() throws Exception {
    SelfSigned.ensure(certificate, key);
    X509Certificate made = read();
    made.verify(made.getPublicKey());
    assertEquals("CN=localhost", made.getSubjectX500Principal().getName());
    assertEquals(made.getSubjectX500Principal(), made.getIssuerX500Principal());
    Collection<List<?>> names = made.getSubjectAlternativeNames();
    assertTrue(names.contains(List.of(2, "localhost")), names.toString());
    assertTrue(names.contains(List.of(7, "127.0.0.1")), names.toString());
    assertNotNull(made.getExtensionValue("2.5.29.14"), "the key's identifier");
  }

  @Test
  void itIsValidFromTheHourBeforeItsKeyWasWrittenForTenYears() throws Exception {
    SelfSigned.ensure(certificate, key);
    X509Certificate made = read();
    Instant written = Files.getLastModifiedTime(key).toInstant();
    made.checkValidity(Date.from(written.minus(59, ChronoUnit.MINUTES)));
    made.checkValidity(Date.from(written.plus(3649, ChronoUnit.DAYS)));
  }

  @Test
  void theKeyBelongsToItAndIsForItsOwnerOnly() throws Exception {
    SelfSigned.ensure(certificate, key);
    assertEquals(
        Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE),
        Files.getPosixFilePermissions(key));
    String pem = Files.readString(key);
    assertTrue(pem.startsWith("-----BEGIN PRIVATE KEY-----\n"), "PKCS #8, as PostgreSQL has it");
    byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    PrivateKey secret = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(secret);
    signature.update(der);
    byte[] signed = signature.sign();
    signature.initVerify(read());
    signature.update(der);
    assertTrue(signature.verify(signed));
  }

  @Test
  void whatIsThereStaysAndHalfOfItIsMadeAnew() throws IOException {
    SelfSigned.ensure(certificate, key);
    byte[] first = Files.readAllBytes(certificate);
    SelfSigned.ensure(certificate, key);
    assertArrayEquals(first, Files.readAllBytes(certificate));
    Files.delete(key);
    SelfSigned.ensure(certificate, key);
    assertFalse(Arrays.equals(first, Files.readAllBytes(certificate)));
  }

  @Test
  void aPlaceThatCannotBeWrittenIsAnError() throws IOException {
    Files.writeString(directory.resolve("tls"), "no directory");
    GaussException error =
        assertThrows(GaussException.class, () -> SelfSigned.ensure(certificate, key));
    assertEquals(SqlState.IO_ERROR, error.state());
  }
}
