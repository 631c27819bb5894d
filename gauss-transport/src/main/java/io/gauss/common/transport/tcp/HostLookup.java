package io.gauss.common.transport.tcp;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the addresses of other nodes. A name is looked up for each connection anew, since a node
 * that was restarted elsewhere has another address under the same name; and never on an event loop,
 * where one name server that does not answer would keep all connections waiting, and cost this node
 * its lease.
 *
 * <p>Those who ask for the same name at once share one lookup, so that there are never more threads
 * than names. Thread-safe.
 */
final class HostLookup {
  /** Asks the system, and waits for it. */
  @FunctionalInterface
  interface Resolver {
    InetAddress resolve(String host) throws UnknownHostException;
  }

  private final Resolver resolver;
  private final Map<String, CompletableFuture<InetAddress>> underWay = new ConcurrentHashMap<>();

  HostLookup(Resolver resolver) {
    this.resolver = resolver;
  }

  /**
   * Completes at once for an address, and on a thread of its own for a name.
   *
   * @return fails with an {@link UnknownHostException} when there is no such name
   */
  CompletableFuture<InetAddress> find(String host) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      try {
        return CompletableFuture.completedFuture(InetAddress.getByAddress(host, literal));
      } catch (UnknownHostException e) {
        throw new IllegalStateException("an address of " + literal.length + " bytes", e);
      }
    }
    return underWay.computeIfAbsent(host, this::begin);
  }

  private CompletableFuture<InetAddress> begin(String host) {
    CompletableFuture<InetAddress> found = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("gauss-lookup-" + host)
        .start(
            () -> {
              InetAddress address = null;
              Exception failure = null;
              try {
                address = resolver.resolve(host);
              } catch (UnknownHostException | RuntimeException e) {
                failure = e;
              }
              // Before it is told: who asks after that wants to know anew.
              underWay.remove(host, found);
              if (failure == null) {
                found.complete(address);
              } else {
                found.completeExceptionally(failure);
              }
            });
    return found;
  }
}
