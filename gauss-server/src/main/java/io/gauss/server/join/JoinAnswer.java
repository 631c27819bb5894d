package io.gauss.server.join;

/**
 * The answer to a {@link JoinRequest}.
 *
 * @param version of the conversation
 * @param refused why the machine does not become a node; null = it does, and has the rest
 * @param node its number
 * @param certificate of the node, PEM
 * @param authority the certificate of the cluster's authority, PEM
 * @param clusterKey the file with the secret of the cluster
 * @param storageNodes addresses of the storage nodes
 */
public record JoinAnswer(
    int version,
    String refused,
    int node,
    String certificate,
    String authority,
    String clusterKey,
    String storageNodes) {

  /** The machine does not become a node. */
  static JoinAnswer refusal(String why) {
    return new JoinAnswer(JoinRequest.VERSION, why, 0, null, null, null, null);
  }

  /** It does. */
  public static JoinAnswer of(
      ClusterAuthority.Issued issued, String authority, String clusterKey, String storageNodes) {
    return new JoinAnswer(
        JoinRequest.VERSION,
        null,
        issued.node(),
        issued.pem(),
        authority,
        clusterKey,
        storageNodes);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return refused == null ? "node " + node : "refused: " + refused;
  }
}
