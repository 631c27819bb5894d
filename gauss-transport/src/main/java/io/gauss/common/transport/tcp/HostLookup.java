package io.gauss.common.transport.tcp;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Finds the addresses of other nodes. A name is looked up again for each connection, since a node
 * that was restarted elsewhere has another address under the same name. It is never looked up on an
 * event loop, where one unresponsive name server would block all connections, and cost this node
 * its lease.
 *
 * <p>Concurrent requests for the same name share one lookup, so there are never more threads than
 * names. Thread-safe.
 */
public final class HostLookup {
  /** Queries the system's resolver, and waits for it. */
  @FunctionalInterface
  public interface Resolver {
    InetAddress resolve(String host) throws UnknownHostException;
  }

  private final Resolver resolver;
  private final Function<Runnable, Thread> threads;
  private final Map<String, CompletableFuture<InetAddress>> underWay = new ConcurrentHashMap<>();

  public HostLookup(Resolver resolver) {
    this(resolver, task -> Thread.ofPlatform().daemon().name("gauss-lookup").unstarted(task));
  }

  HostLookup(Resolver resolver, Function<Runnable, Thread> threads) {
    this.threads = threads;
    this.resolver = resolver;
  }

  /**
   * Completes at once for an address, and on a separate thread for a name.
   *
   * @return fails with an {@link UnknownHostException} when there is no such name
   */
  public CompletableFuture<InetAddress> find(String host) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      try {
        return CompletableFuture.completedFuture(InetAddress.getByAddress(host, literal));
      } catch (UnknownHostException e) {
        throw new IllegalStateException("an address of " + literal.length + " bytes", e);
      }
    }
    try {
      return underWay.computeIfAbsent(host, this::begin);
    } catch (OutOfMemoryError e) {
      // There is no thread for it, which the JVM does not end the process for. Whoever wants to
      // connect tries again, as when a name server does not answer.
      UnknownHostException failure = new UnknownHostException(host);
      failure.initCause(e);
      return CompletableFuture.failedFuture(failure);
    }
  }

  private CompletableFuture<InetAddress> begin(String host) {
    CompletableFuture<InetAddress> found = new CompletableFuture<>();
    threads
        .apply(
            () -> {
              InetAddress address = null;
              Exception failure = null;
              try {
                address = resolver.resolve(host);
              } catch (UnknownHostException | RuntimeException e) {
                failure = e;
              }
              // Removed before the future completes: later requests need a new lookup.
              underWay.remove(host, found);
              if (failure == null) {
                found.complete(address);
              } else {
                found.completeExceptionally(failure);
              }
            })
        .start();
    return found;
  }
}
