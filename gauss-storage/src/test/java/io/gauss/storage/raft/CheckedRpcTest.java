package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.ServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member that may not lead sends nothing as the leader. */
@Timeout(120)
class CheckedRpcTest {
  private static final GroupId STREAM = GroupId.stream(7);

  @TempDir Path directory;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private RaftNodes nodes;

  @BeforeEach
  void start() {
    nodes = new RaftNodes(1, directory, node -> group -> new SumMachine());
    nodes.startAll();
    nodes.addGroup(STREAM);
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
    nodes.close();
  }

  @Test
  void aMemberWhoseLogHasFailedSendsNothing() throws IOException {
    IOException broken = new IOException("the disk is broken");
    CheckedRpc.Wiring wiring =
        CheckedRpc.Wiring.of(
            nodes.settings(0),
            timer,
            transport -> transport,
            group ->
                new ForcedAnswers.LogState() {
                  @Override
                  public Throwable logFailure() {
                    return broken;
                  }

                  @Override
                  public int restarts() {
                    return 0;
                  }
                });
    ServerFactory factory =
        ServerFactory.cast(new CheckedRpc().newFactory(wiring.in(new Parameters())));
    RaftServer.Division member = nodes.host(0).division(STREAM);
    UncheckedIOException refused =
        assertThrows(UncheckedIOException.class, () -> factory.newLogAppender(member, null, null));
    assertEquals(broken, refused.getCause().getCause());
  }
}
