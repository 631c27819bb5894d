package io.gauss.storage.raft.stream;

import io.gauss.storage.api.LogStream;
import io.gauss.storage.api.LogStreamContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A stream on three replicas, all of which are stopped and started again where it is reopened. */
class ReplicatedLogStreamContractTest extends LogStreamContract {
  private static final int STREAM = 1;

  @TempDir Path directory;
  private StreamCluster cluster;

  @Override
  protected LogStream open() {
    if (cluster == null) {
      cluster = new StreamCluster(3, directory);
      cluster.startAll();
      cluster.addStream(STREAM);
    } else {
      cluster.restartAll();
    }
    return cluster.open(STREAM);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }
}
