package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.CertifiedNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.IPAddress;

/**
 * A cluster's own certificate authority, which signs the certificates of its nodes and nothing
 * else: whoever presents one is a node. It lies in a directory of the first node's data:
 *
 * <pre>
 * authority.pem    the certificate that all nodes have
 * authority.key    its key, which never leaves this directory
 * issued/N.pem     the certificate of node N: node numbers are given here, each once
 * tokens/          see {@link PendingTokens}
 * </pre>
 *
 * <p>Thread-safe within a process; one process at a time has the directory.
 */
public final class ClusterAuthority {
  /** The directory below that of the node. */
  private static final String NAME = "authority";

  private static final String CERTIFICATE = "authority.pem";
  private static final String KEY = "authority.key";
  private static final String ISSUED = "issued";
  private static final String TOKENS = "tokens";
  private static final String PEM = ".pem";
  private static final int SERIAL_BITS = 127;

  /** For nodes whose clocks are behind. */
  private static final Duration VALID_BEFORE = Duration.ofDays(1);

  private static final Duration VALID = Duration.ofDays(3650);

  private final Path directory;
  private final X509Certificate certificate;
  private final PrivateKey key;
  private final PendingTokens tokens;

  private ClusterAuthority(Path directory, X509Certificate certificate, PrivateKey key) {
    this.directory = directory;
    this.certificate = certificate;
    this.key = key;
    this.tokens = new PendingTokens(directory.resolve(TOKENS), fingerprint());
  }

  /** Whether the node with this data directory has the authority. */
  public static boolean isIn(Path data) {
    return Files.exists(data.resolve(NAME).resolve(KEY));
  }

  /**
   * Makes the authority of a new cluster; one that is there stays.
   *
   * @param data directory of the first node, which is for its owner alone
   * @throws GaussException 58030 when it cannot be made
   */
  public static ClusterAuthority create(Path data, Instant now) {
    if (isIn(data)) {
      return open(data);
    }
    Path directory = data.resolve(NAME);
    try {
      Files.createDirectories(directory.resolve(ISSUED));
      Files.createDirectories(directory.resolve(TOKENS));
      KeyPair pair = Pem.newKey();
      X500Name name =
          new X500Name(CertifiedNode.AUTHORITY + serial().toString(Character.MAX_RADIX));
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name, serial(), from(now), until(now), name, pair.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
      X509Certificate made = signed(builder, pair.getPrivate());
      OwnerFiles.write(directory.resolve(CERTIFICATE), Pem.of(made));
      OwnerFiles.write(directory.resolve(KEY), Pem.of(pair.getPrivate())); // last: then it is there
      return new ClusterAuthority(directory, made, pair.getPrivate());
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new GaussException(SqlState.IO_ERROR, "no authority could be made: " + e, e);
    }
  }

  /**
   * @throws GaussException 58030 when it cannot be read
   */
  public static ClusterAuthority open(Path data) {
    Path directory = data.resolve(NAME);
    try {
      return new ClusterAuthority(
          directory,
          Pem.certificates(OwnerFiles.read(directory.resolve(CERTIFICATE))).getFirst(),
          Pem.privateKey(OwnerFiles.read(directory.resolve(KEY))));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "the authority in " + directory + " cannot be read: " + e, e);
    }
  }

  /** The certificate as all nodes have it. */
  public String certificate() {
    try {
      return Pem.of(certificate);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("it has been encoded before", e);
    }
  }

  /** SHA-256 of the certificate. */
  byte[] fingerprint() {
    try {
      return Pem.fingerprint(certificate);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("it has been encoded before", e);
    }
  }

  /** The tokens that have been given out. */
  public PendingTokens tokens() {
    return tokens;
  }

  /**
   * A node and its certificate.
   *
   * @param pem signed by the authority
   */
  public record Issued(int node, String pem) {}

  /**
   * Takes in a node under a number that none has had. The number is used from then on, whatever
   * becomes of the node.
   *
   * @param key its public key, encoded
   * @param host where others reach it: a name or an address
   * @param known the highest number of a node that is known otherwise: the directory may be a copy
   *     that was made before the last ones joined
   * @param most the highest number that a node can have
   * @throws GaussException 22023 when the key is none, 54000 when all numbers have been used, 58030
   *     when the certificate cannot be kept
   */
  public synchronized Issued issue(byte[] key, String host, int known, int most, Instant now) {
    int node = Math.max(lastIssued(), known) + 1;
    if (node > most) {
      throw new GaussException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "all " + most + " numbers of nodes have been used");
    }
    return issueAgain(node, key, host, now);
  }

  /**
   * Signs the certificate of a node that has its number already, for the key that it has had.
   *
   * @throws GaussException as {@link #issue}
   */
  public synchronized Issued issueAgain(int node, byte[] key, String host, Instant now) {
    PublicKey subject;
    try {
      subject = Pem.publicKey(key);
    } catch (GeneralSecurityException e) {
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "that is no key: " + e, e);
    }
    try {
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              certificate,
              serial(),
              from(now),
              until(now),
              new X500Name(new CertifiedNode(node).name()),
              subject);
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(
          Extension.keyUsage,
          true,
          new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyAgreement));
      builder.addExtension(
          Extension.extendedKeyUsage,
          false,
          new ExtendedKeyUsage(
              new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth}));
      builder.addExtension(Extension.subjectAlternativeName, false, names(host));
      String pem = Pem.of(signed(builder, this.key));
      OwnerFiles.write(directory.resolve(ISSUED).resolve(node + PEM), pem);
      return new Issued(node, pem);
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new GaussException(SqlState.IO_ERROR, "no certificate could be made: " + e, e);
    }
  }

  private int lastIssued() {
    try (var found = Files.list(directory.resolve(ISSUED))) {
      return found
          .map(path -> path.getFileName().toString())
          .filter(name -> name.matches("\\d{1,5}\\.pem"))
          .mapToInt(name -> Integer.parseInt(name.substring(0, name.length() - PEM.length())))
          .max()
          .orElse(0);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read " + directory + ": " + e, e);
    }
  }

  /** For clients, who compare them with the host that they connect to; nodes do not. */
  private static GeneralNames names(String host) {
    List<GeneralName> names = new ArrayList<>();
    if (IPAddress.isValid(host)) {
      names.add(new GeneralName(GeneralName.iPAddress, host));
    } else {
      names.add(new GeneralName(GeneralName.dNSName, host));
    }
    names.add(new GeneralName(GeneralName.dNSName, "localhost"));
    names.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
    return new GeneralNames(names.toArray(GeneralName[]::new));
  }

  private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey by)
      throws GeneralSecurityException, OperatorCreationException {
    return new JcaX509CertificateConverter()
        .getCertificate(builder.build(new JcaContentSignerBuilder(Pem.SIGNATURE).build(by)));
  }

  private static BigInteger serial() {
    return new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(SERIAL_BITS - 1);
  }

  private static Date from(Instant now) {
    return Date.from(now.minus(VALID_BEFORE));
  }

  private static Date until(Instant now) {
    return Date.from(now.plus(VALID));
  }
}
