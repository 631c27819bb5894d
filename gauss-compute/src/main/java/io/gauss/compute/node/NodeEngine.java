package io.gauss.compute.node;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.ClusterKeyFile;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.tcp.TcpOptions;
import io.gauss.common.transport.tcp.TcpTransport;
import io.gauss.compute.engine.Engine;
import io.gauss.compute.engine.EngineSettings;
import io.gauss.storage.local.DataDirectory;
import io.gauss.storage.raft.stream.ClientSettings;
import io.gauss.storage.remote.RemoteStorage;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/** Opens a node's engine over the storage tier that its settings name. */
final class NodeEngine {
  /** The node's epoch as others see it; its stream's epoch fences it. */
  private static final int EPOCH = 1;

  private NodeEngine() {}

  static Engine open(NodeSettings settings, MeterRegistry registry) {
    EngineSettings defaults = EngineSettings.ofPoolBytes(settings.poolBytes());
    EngineSettings engine =
        new EngineSettings(
            defaults.node(),
            defaults.pool(),
            defaults.log().withStallTimeout(settings.storageTimeout()),
            settings.checkpointBytes(),
            Duration.ofSeconds(settings.checkpointSeconds()),
            defaults.applyLagBytes(),
            settings.redoMemoryBytes(),
            settings.pageWriteBytesPerSecond());
    return settings.storageNodes().isEmpty()
        ? Engine.openLocal(settings.data(), engine)
        : openRemote(settings, engine, registry);
  }

  private static Engine openRemote(
      NodeSettings settings, EngineSettings engine, MeterRegistry registry) {
    DataDirectory directory = DataDirectory.take(settings.data());
    try {
      LamportClock clock = new LamportClock(engine.node(), Lsn.NONE);
      Transport transport =
          new TcpTransport(
              new TransportConfig(
                  NodeIdentity.of(engine.node(), NodeRole.COMPUTE, EPOCH, clock),
                  ClusterKeyFile.read(settings.clusterKey()),
                  EpochGuard.NONE,
                  TransportSettings.DEFAULTS,
                  registry),
              new TcpOptions(TcpOptions.Io.BEST, 1, null));
      return Engine.open(engine, clock, connect(settings, engine, transport, directory));
    } catch (RuntimeException | Error e) {
      try (directory) {
        throw e;
      }
    }
  }

  private static RemoteStorage connect(
      NodeSettings settings, EngineSettings engine, Transport transport, DataDirectory directory) {
    try {
      return RemoteStorage.connect(
          engine.node(), settings.storageNodes(), transport, ClientSettings.defaults(), directory);
    } catch (RuntimeException | Error e) {
      try (transport) {
        throw e;
      }
    }
  }
}
