package io.gauss.storage.node;

import io.gauss.storage.api.LogSource;
import io.gauss.storage.api.LogSourceContract;
import io.gauss.storage.api.LogStream;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.stream.StreamCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Streams on one of three storage nodes, which may be a little behind. */
class ReplicaSourceContractTest extends LogSourceContract {
  private static final int NODE = 1;

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

  @Override
  protected LogSource source() {
    return new ReplicaSource(
        number, cluster.service(NODE), 0, () -> Integer.MAX_VALUE, all -> true);
  }

  @Override
  protected void settle() {
    long end = stream.endOffset();
    boolean trimmed = stream.startOffset() > 0;
    RaftNodes.await(
        "the replica is where the stream is",
        () -> source().endOffset() == end && (!trimmed || source().startOffset() > 0));
  }

  /** A storage node closes the tails of its page store before its streams. */
  @Override
  protected void closeSource() {}
}
