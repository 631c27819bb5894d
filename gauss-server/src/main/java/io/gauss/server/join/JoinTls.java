package io.gauss.server.join;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Encryption of the conversation in which a machine joins: the node shows its certificate and that
 * of the authority, which the machine knows by the token. The machine has no certificate yet; its
 * token says who it is.
 */
final class JoinTls {
  private static final String TLS = "TLS";
  static final String[] PROTOCOLS = {"TLSv1.3"};
  private static final char[] NO_PASSWORD = new char[0];

  private JoinTls() {}

  static SSLContext ofNode(NodeCredentials credentials)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    store.setKeyEntry(
        "node",
        credentials.readKey(),
        NO_PASSWORD,
        credentials.chain().toArray(Certificate[]::new));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, NO_PASSWORD);
    SSLContext context = SSLContext.getInstance(TLS);
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /**
   * @param fingerprint SHA-256 of the certificate of the authority that must have signed the node's
   */
  static SSLContext ofMachine(byte[] fingerprint) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance(TLS);
    context.init(null, new TrustManager[] {new Pinned(fingerprint)}, null);
    return context;
  }

  /**
   * Trusts the authority of that fingerprint, and whoever it has signed. Names are not compared:
   * the node may be reached by another one than its own, and only nodes have such certificates.
   */
  private static final class Pinned extends X509ExtendedTrustManager {
    private final byte[] fingerprint;

    Pinned(byte[] fingerprint) {
      this.fingerprint = fingerprint.clone();
    }

    private void check(X509Certificate[] chain) throws CertificateException {
      try {
        X509Certificate authority = chain[chain.length - 1];
        if (chain.length != 2 || !MessageDigest.isEqual(fingerprint, Pem.fingerprint(authority))) {
          throw new CertificateException("this is not the cluster that has given out the token");
        }
        chain[0].verify(authority.getPublicKey());
        chain[0].checkValidity();
      } catch (CertificateException e) {
        throw e;
      } catch (GeneralSecurityException e) {
        throw new CertificateException("the node's certificate is not the authority's", e);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("nobody connects to a machine that is no node yet");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
