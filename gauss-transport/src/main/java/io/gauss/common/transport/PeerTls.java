package io.gauss.common.transport;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Files for the encryption of connections between nodes: each node shows a certificate that the
 * cluster's authority signed. Names in them are not compared with addresses.
 *
 * @param certificate PEM, the node's own first, then those that it was signed with
 * @param key PEM, PKCS #8, without a password
 * @param authority PEM, the certificates that other nodes' must be signed with
 */
public record PeerTls(Path certificate, Path key, Path authority) {
  private static final String CERTIFICATE = "peer.tls.certificate";
  private static final String KEY = "peer.tls.key";
  private static final String AUTHORITY = "peer.tls.authority";

  /** The settings' names with their defaults: none. */
  public static Map<String, String> defaults() {
    return Map.of(CERTIFICATE, "", KEY, "", AUTHORITY, "");
  }

  /**
   * The files that settings name; null when they name none.
   *
   * @param settings text of a setting, empty = not set
   * @throws GaussException 22023 when they name some only
   */
  public static PeerTls of(UnaryOperator<String> settings) {
    List<String> missing =
        Stream.of(CERTIFICATE, KEY, AUTHORITY)
            .filter(name -> settings.apply(name).isEmpty())
            .toList();
    if (missing.size() == 3) {
      return null;
    }
    if (!missing.isEmpty()) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "setting %s is wanted, as others of peer.tls are there".formatted(missing.getFirst()));
    }
    return new PeerTls(
        Path.of(settings.apply(CERTIFICATE)),
        Path.of(settings.apply(KEY)),
        Path.of(settings.apply(AUTHORITY)));
  }
}
