package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.id.Lsn;
import io.gauss.storage.api.LogStream.AppendResult;
import io.gauss.storage.api.TestMtrs;
import io.gauss.storage.local.pages.LocalPageStore;
import io.gauss.storage.local.pages.PageStoreSettings;
import io.gauss.storage.local.pages.TestApply;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.stream.ReplicatedLogStream;
import io.gauss.storage.raft.stream.StreamCluster;
import io.gauss.storage.raft.stream.StreamRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lag of a page store that is fed by the test. */
@Timeout(300)
class ReplicaLagTest {
  private static final int STREAM = 1;

  @TempDir Path directory;

  private static double gauge(SimpleMeterRegistry registry, String name) {
    return registry.get(name).tag("stream", "" + STREAM).gauge().value();
  }

  @Test
  void whatIsDurableAndNotAppliedIsTheLagAndAMetric() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (StreamCluster cluster = new StreamCluster(1, directory.resolve("raft"));
        LocalPageStore store =
            LocalPageStore.open(
                directory.resolve("pages"),
                PageStoreSettings.defaults().withApply(new TestApply()))) {
      cluster.startAll();
      cluster.addStream(STREAM);
      ReplicaLag lag = new ReplicaLag(STREAM, cluster.service(0), store);
      lag.bindTo(registry);
      assertEquals(0, lag.nanos());
      ByteBuffer mtr = append(cluster);
      long end = mtr.remaining();
      RaftNodes.await("the replica knows that it is durable", () -> lag.bytes() == end);
      assertTrue(lag.nanos() > 0);
      assertEquals(end, gauge(registry, "gauss.stream.end"));
      assertEquals(0, gauge(registry, "gauss.stream.applied"));
      assertEquals(end, gauge(registry, "gauss.stream.lag"));
      assertTrue(gauge(registry, "gauss.stream.lag.time") > 0);
      assertEquals(0, gauge(registry, "gauss.stream.held"));
      cluster.service(0).handle(new StreamRequest.Subscribe(STREAM, 9, 90, 0)).join();
      assertEquals(end, gauge(registry, "gauss.stream.held"));
      store.apply(STREAM, 0, mtr);
      assertEquals(0, lag.nanos());
      assertEquals(0, lag.bytes());
      assertEquals(end, gauge(registry, "gauss.stream.applied"));
      assertEquals(0, gauge(registry, "gauss.stream.lag.time"));
    }
  }

  private static ByteBuffer append(StreamCluster cluster) {
    long lsn = Lsn.of(1, 1);
    TestMtrs mtrs = new TestMtrs();
    mtrs.begin(lsn).record(TestApply.FORMAT, 7, 0, new byte[] {1, 2, 3});
    ByteBuffer bytes = mtrs.take();
    try (ReplicatedLogStream stream = cluster.open(STREAM)) {
      CompletableFuture<AppendResult> done = new CompletableFuture<>();
      stream.append(1, 0, lsn, lsn, bytes, done::complete);
      assertInstanceOf(AppendResult.Appended.class, done.orTimeout(60, TimeUnit.SECONDS).join());
    }
    return bytes;
  }
}
