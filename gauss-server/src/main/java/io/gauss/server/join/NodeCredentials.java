package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A node's key and certificate, in {@code tls} of its data directory. The key is made there and
 * never leaves it.
 *
 * @param key PEM, PKCS #8
 * @param certificate PEM, signed by the authority
 * @param authority PEM, the certificate of the cluster's authority
 */
public record NodeCredentials(Path key, Path certificate, Path authority) {
  private static final String NAME = "tls";

  /**
   * @param data directory of the node
   */
  public static NodeCredentials in(Path data) {
    Path directory = data.resolve(NAME);
    return new NodeCredentials(
        directory.resolve("node.key"),
        directory.resolve("node.pem"),
        directory.resolve("authority.pem"));
  }

  /**
   * Makes a key unless there is one: a machine whose joining was interrupted asks again as the same
   * one.
   *
   * @return its public part, encoded
   * @throws GaussException 58030 when it cannot be made, or the one that is there cannot be read
   */
  public byte[] makeKey() {
    try {
      if (Files.exists(key)) {
        return Pem.publicKey(readKey()).getEncoded();
      }
      KeyPair pair = Pem.newKey();
      OwnerFiles.write(key, Pem.of(pair.getPrivate()));
      return pair.getPublic().getEncoded();
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new GaussException(SqlState.IO_ERROR, "no key in " + key + ": " + e, e);
    }
  }

  /**
   * Signs with the key.
   *
   * @throws GaussException 58030 when it cannot be read
   */
  byte[] sign(byte[] text) {
    try {
      return Pem.signature(readKey(), text);
    } catch (GeneralSecurityException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot sign with " + key + ": " + e, e);
    }
  }

  /** Keeps the certificates for the key. */
  public void keep(String ownCertificate, String ofAuthority) {
    OwnerFiles.write(authority, ofAuthority);
    OwnerFiles.write(certificate, ownCertificate);
  }

  PrivateKey readKey() throws GeneralSecurityException {
    return Pem.privateKey(OwnerFiles.read(key));
  }

  /** The node's own, then the authority's. */
  List<X509Certificate> chain() throws GeneralSecurityException {
    return List.of(
        Pem.certificates(OwnerFiles.read(certificate)).getFirst(),
        Pem.certificates(OwnerFiles.read(authority)).getFirst());
  }

  /** Whether a certificate, PEM, is the one of that fingerprint. */
  static boolean isOf(byte[] fingerprint, String pem) throws GeneralSecurityException {
    List<X509Certificate> found = Pem.certificates(pem);
    return found.size() == 1
        && MessageDigest.isEqual(fingerprint, Pem.fingerprint(found.getFirst()));
  }
}
