package io.gauss.server;

import io.gauss.common.config.NodeSetting;
import io.gauss.common.config.NodeSettingTable;
import io.gauss.storage.disk.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The keys that a node's settings name: wherever they are, nobody else may read them. */
final class SecretFiles {
  private static final List<NodeSetting<Optional<Path>>> OF_ALL =
      List.of(NodeSettingTable.CLUSTER_KEY, NodeSettingTable.PEER_TLS_KEY);
  private static final List<NodeSetting<Optional<Path>>> OF_COMPUTE =
      List.of(
          NodeSettingTable.CLUSTER_KEY, NodeSettingTable.PEER_TLS_KEY, NodeSettingTable.TLS_KEY);

  private SecretFiles() {}

  /**
   * Checks the files of a memory or storage node.
   *
   * @throws io.gauss.common.error.GaussException 55000 when others can read one
   */
  static void check(Function<NodeSetting<Optional<Path>>, Optional<Path>> settings)
      throws IOException {
    check(OF_ALL, settings);
  }

  /** The same of a compute node. */
  static void checkCompute(Function<NodeSetting<Optional<Path>>, Optional<Path>> settings)
      throws IOException {
    check(OF_COMPUTE, settings);
  }

  private static void check(
      List<NodeSetting<Optional<Path>>> files,
      Function<NodeSetting<Optional<Path>>, Optional<Path>> settings)
      throws IOException {
    for (NodeSetting<Optional<Path>> file : files) {
      Optional<Path> named = settings.apply(file);
      if (named.isPresent()) {
        PrivateFiles.checkSecret(named.get());
      }
    }
  }
}
