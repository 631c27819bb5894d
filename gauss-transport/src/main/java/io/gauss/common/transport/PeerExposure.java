package io.gauss.common.transport;

import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.config.SettingValues;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Whether other machines can reach a node's ports for nodes, and whether what is sent there may be
 * read by others on the way.
 */
public final class PeerExposure {
  private PeerExposure() {}

  /**
   * Checks that the node's connections with other machines are encrypted, or that somebody has
   * decided otherwise.
   *
   * @param tls null = connections are not encrypted
   * @param addresses where the node listens for others, and where they are told that it does
   * @throws GaussException 22023 when one of them is not of this machine alone
   */
  public static void check(SettingValues settings, PeerTls tls, List<String> addresses) {
    if (tls != null || settings.get(NodeSettingTable.PEER_PLAINTEXT)) {
      return;
    }
    for (String address : addresses) {
      if (!isLoopback(address)) {
        throw new GaussException(
                SqlState.INVALID_PARAMETER_VALUE,
                "other machines can reach this node at %s, and connections between nodes are not encrypted"
                    .formatted(address))
            .hint(
                "Set %s, %s and %s. On a network that nobody else can read, %s = on does without."
                    .formatted(
                        NodeSettingTable.PEER_TLS_CERTIFICATE.name(),
                        NodeSettingTable.PEER_TLS_KEY.name(),
                        NodeSettingTable.PEER_TLS_AUTHORITY.name(),
                        NodeSettingTable.PEER_PLAINTEXT.name()));
      }
    }
  }

  /** A name that is not known yet may become that of another interface. */
  private static boolean isLoopback(String host) {
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (!address.isLoopbackAddress()) {
          return false;
        }
      }
      return true;
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
