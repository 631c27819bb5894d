package io.gauss.common.transport;

import java.util.concurrent.CompletableFuture;

/** A kind of transport under test: creates nodes that can reach each other, and waits. */
public interface TransportHarness extends AutoCloseable {
  Transport open(TransportConfig config);

  /** An address to listen on. */
  NodeAddress anyAddress();

  /** The future's value, or its exception as {@link CompletableFuture#join} throws it. */
  <T> T await(CompletableFuture<T> future);

  /** Closes the harness's own resources; the test has closed its transports. */
  @Override
  default void close() {}
}
