package io.gauss.common.transport;

import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Files for the encryption of connections between nodes: each node presents a certificate that the
 * cluster's authority signed. Names in certificates are not compared with addresses, but with the
 * numbers of nodes if they name any ({@link CertifiedNode}).
 *
 * @param certificate PEM, the node's own first, then the certificates that signed it
 * @param key PEM, PKCS #8, without a password
 * @param authority PEM, the certificates that must have signed those of other nodes
 */
public record PeerTls(Path certificate, Path key, Path authority) {
  private static final List<NodeSetting<Optional<Path>>> FILES =
      List.of(
          NodeSettingTable.PEER_TLS_CERTIFICATE,
          NodeSettingTable.PEER_TLS_KEY,
          NodeSettingTable.PEER_TLS_AUTHORITY);

  /**
   * The files named by settings; null when there are none.
   *
   * @throws GaussException 22023 when only some are named
   */
  public static PeerTls of(Function<NodeSetting<Optional<Path>>, Optional<Path>> settings) {
    List<NodeSetting<Optional<Path>>> missing =
        FILES.stream().filter(file -> settings.apply(file).isEmpty()).toList();
    if (missing.size() == FILES.size()) {
      return null;
    }
    if (!missing.isEmpty()) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "setting %s is wanted, as others of peer.tls are there"
              .formatted(missing.getFirst().name()));
    }
    List<Path> files = FILES.stream().map(file -> settings.apply(file).orElseThrow()).toList();
    return new PeerTls(files.get(0), files.get(1), files.get(2));
  }
}
