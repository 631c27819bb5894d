package io.gauss.common.transport.local;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportContract;
import io.gauss.common.transport.TransportHarness;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The transport within a JVM, on threads. */
class LocalTransportTest extends TransportContract {
  @Override
  protected TransportHarness harness() {
    LocalNetwork network = new LocalNetwork();
    return new TransportHarness() {
      @Override
      public Transport open(TransportConfig config) {
        return network.transport(config);
      }

      @Override
      public NodeAddress anyAddress() {
        return new NodeAddress("local", 0);
      }

      @Override
      public <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
      }
    };
  }
}
