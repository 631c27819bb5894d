package io.gauss.compute.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * Makes a certificate that nobody else has signed: it keeps listeners out, but clients cannot tell
 * by it whom they talk to. It is made by the JDK's keytool, as Java has no public interface for it.
 */
final class SelfSigned {
  private static final String ALIAS = "gauss";
  private static final String PASSWORD_VARIABLE = "GAUSS_KEYTOOL_PASSWORD";
  private static final int DAYS = 3650;
  private static final int SECONDS_MAX = 60;

  private SelfSigned() {}

  /**
   * Makes certificate and key unless both are there.
   *
   * @throws GaussException 58030 when they cannot be made
   */
  static void ensure(Path certificate, Path key) {
    if (Files.exists(certificate) && Files.exists(key)) {
      return;
    }
    try {
      Files.createDirectories(certificate.getParent());
      Path store = certificate.resolveSibling("keytool.p12");
      Files.deleteIfExists(store);
      try {
        make(store, certificate, key);
      } finally {
        Files.deleteIfExists(store);
      }
    } catch (IOException | GeneralSecurityException e) {
      throw failed(e.toString(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("interrupted", e);
    }
  }

  private static void make(Path store, Path certificate, Path key)
      throws IOException, GeneralSecurityException, InterruptedException {
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    String password = HexFormat.of().formatHex(random);
    ProcessBuilder keytool =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-sigalg",
            "SHA256withECDSA",
            "-validity",
            Integer.toString(DAYS),
            "-dname",
            "CN=localhost",
            "-ext",
            "SAN=dns:localhost,ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass:env",
            PASSWORD_VARIABLE);
    keytool.environment().put(PASSWORD_VARIABLE, password);
    keytool.redirectErrorStream(true);
    Process process = keytool.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroy();
      throw failed(output.strip(), null);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password.toCharArray());
    }
    write(key, "PRIVATE KEY", keys.getKey(ALIAS, password.toCharArray()).getEncoded(), "rw-------");
    write(certificate, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded(), "rw-r--r--");
  }

  private static void write(Path file, String kind, byte[] der, String permissions)
      throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
    Files.writeString(
        file,
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(
                kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der), kind));
  }

  private static GaussException failed(String why, Throwable cause) {
    return new GaussException(SqlState.IO_ERROR, "no certificate could be made: " + why, cause);
  }
}
