package io.gauss.server.join;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;

/**
 * What a machine says that wants to become a node.
 *
 * @param version of the conversation
 * @param token id of the token
 * @param secret of the token, encoded in base64 by Jackson
 * @param key the node's public key
 * @param proof that it has the private one: its signature of the token, the secret and the key. A
 *     token that was used is good for nobody but the same machine
 * @param roles names of the roles that it is to have
 * @param host where other nodes will reach it
 * @param replaces number of the node whose place it takes; 0 = of none
 */
public record JoinRequest(
    int version,
    long token,
    byte[] secret,
    byte[] key,
    byte[] proof,
    List<String> roles,
    String host,
    int replaces) {
  static final int VERSION = 1;

  /** Begins what is signed, so that the signature is of no use elsewhere. */
  private static final String PURPOSE = "gauss joins";

  /**
   * A request of this version.
   *
   * @param own has a key
   */
  public static JoinRequest of(JoinToken token, NodeCredentials own, Wish wish) {
    byte[] key = own.makeKey();
    return new JoinRequest(
        VERSION,
        token.id(),
        token.secret(),
        key,
        own.sign(signedText(token.id(), token.secret(), key)),
        wish.roles(),
        wish.host(),
        wish.replaces());
  }

  private static byte[] signedText(long token, byte[] secret, byte[] key) {
    byte[] purpose = PURPOSE.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(purpose.length + Long.BYTES + secret.length + key.length)
        .put(purpose)
        .putLong(token)
        .put(secret)
        .put(key)
        .array();
  }

  /** Whether it comes from who has the private key. */
  boolean isProven() {
    try {
      return Pem.isSigned(Pem.publicKey(key), signedText(token, secret, key), proof);
    } catch (GeneralSecurityException e) {
      return false; // no key
    }
  }

  /**
   * What the new node is to be.
   *
   * @param roles their names
   * @param host where other nodes will reach it
   * @param replaces number of the node whose place it takes; 0 = of none
   */
  public record Wish(List<String> roles, String host, int replaces) {
    public Wish {
      roles = List.copyOf(roles);
    }
  }

  public JoinRequest {
    roles = List.copyOf(roles);
    Objects.requireNonNull(secret);
    Objects.requireNonNull(key);
    Objects.requireNonNull(proof);
    Objects.requireNonNull(host);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "request of %s for %s%s"
        .formatted(host, roles, replaces == 0 ? "" : " in the place of node " + replaces);
  }
}
