package io.gauss.server.join;

import java.util.List;
import java.util.Objects;

/**
 * What a machine says that wants to become a node.
 *
 * @param version of the conversation
 * @param token id of the token
 * @param secret of the token, encoded in base64 by Jackson
 * @param key the node's public key
 * @param roles names of the roles that it is to have
 * @param host where other nodes will reach it
 * @param replaces number of the node whose place it takes; 0 = of none
 */
public record JoinRequest(
    int version,
    long token,
    byte[] secret,
    byte[] key,
    List<String> roles,
    String host,
    int replaces) {
  static final int VERSION = 1;

  /** A request of this version. */
  static JoinRequest of(JoinToken token, byte[] key, Wish wish) {
    return new JoinRequest(
        VERSION, token.id(), token.secret(), key, wish.roles(), wish.host(), wish.replaces());
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
    Objects.requireNonNull(host);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "request of %s for %s%s"
        .formatted(host, roles, replaces == 0 ? "" : " in the place of node " + replaces);
  }
}
