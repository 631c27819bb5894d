package io.gauss.storage.raft;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.PeerTls;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;

/** Encrypts messages between the members of Raft groups; both sides present a certificate. */
final class RaftTls {
  private static final char[] NO_PASSWORD = new char[0];
  private static final String NODE = "node";

  private RaftTls() {}

  /**
   * @param files null = not encrypted
   * @throws GaussException 22023 when one of the files cannot be used
   */
  static Parameters parameters(PeerTls files) {
    Parameters parameters = new Parameters();
    if (files != null) {
      try {
        GrpcConfigKeys.TLS.setConf(
            parameters, new GrpcTlsConfig(keys(files), trust(files.authority()), true));
      } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE,
            "certificate %s, key %s and authority %s cannot be used: %s"
                .formatted(files.certificate(), files.key(), files.authority(), e.getMessage()),
            e);
      }
    }
    return parameters;
  }

  private static KeyManager keys(PeerTls files) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    store.setKeyEntry(
        NODE,
        privateKey(files.key()),
        NO_PASSWORD,
        certificates(files.certificate()).toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers()[0];
  }

  private static TrustManager trust(Path authority) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    for (Certificate certificate : certificates(authority)) {
      store.setCertificateEntry("authority-" + store.size(), certificate);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager trusting) {
        return new AnyName(trusting);
      }
    }
    throw new CertificateException("this JVM cannot check certificates");
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }

  private static List<Certificate> certificates(Path file)
      throws CertificateException, IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new ArrayList<>(CertificateFactory.getInstance("X.509").generateCertificates(in));
    }
  }

  private static PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
    String text = Files.readString(file).replaceAll("-----[A-Z ]+-----", "");
    PKCS8EncodedKeySpec key = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text));
    InvalidKeySpecException last = null;
    for (String algorithm : new String[] {"EC", "RSA", "Ed25519"}) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(key);
      } catch (InvalidKeySpecException e) {
        last = e;
      }
    }
    throw last;
  }

  /**
   * Checks the signer of a certificate but not the name in it: addresses of nodes change, and any
   * node of the cluster is acceptable.
   */
  private static final class AnyName extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager signatures;

    AnyName(X509ExtendedTrustManager signatures) {
      this.signatures = signatures;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      signatures.checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      signatures.checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      signatures.checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      signatures.checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      signatures.checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      signatures.checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return signatures.getAcceptedIssuers();
    }
  }
}
