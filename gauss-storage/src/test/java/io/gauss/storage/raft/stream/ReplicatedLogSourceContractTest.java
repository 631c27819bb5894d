package io.gauss.storage.raft.stream;

import io.gauss.storage.api.LogSourceContract;
import io.gauss.storage.api.LogStream;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Streams on three replicas, all of which are stopped and started again where one is reopened. */
class ReplicatedLogSourceContractTest extends LogSourceContract {
  @TempDir static Path directory;
  private static StreamCluster cluster;
  private static int streams;

  private int number;

  @BeforeAll
  static void start() {
    cluster = new StreamCluster(3, directory);
    cluster.startAll();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected LogStream open() {
    if (number == 0) {
      number = ++streams;
      cluster.addStream(number);
    } else {
      cluster.restartAll();
    }
    return cluster.open(number);
  }
}
