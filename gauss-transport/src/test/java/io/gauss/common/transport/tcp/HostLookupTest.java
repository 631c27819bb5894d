package io.gauss.common.transport.tcp;

import static io.gauss.common.transport.TestNodes.config;
import static io.gauss.common.transport.TestNodes.take;
import static io.gauss.common.transport.TestNodes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.TransportException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names of nodes, and nodes whose address changes. */
@Timeout(300)
class HostLookupTest {
  private static final MessageType WHERE = new MessageType(1, "test.where");
  private static final long LONG = TimeUnit.SECONDS.toNanos(60);

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anAddressIsNotLookedUp() {
    HostLookup hosts =
        new HostLookup(
            host -> {
              throw new AssertionError(host);
            });
    assertEquals(address("10.0.0.5"), hosts.find("10.0.0.5").join());
    assertEquals(address("::1"), hosts.find("::1").join());
  }

  /** Whoever connects tries again; the name must not count as being looked up for ever. */
  @Test
  void aLookUpFailsWhenThereIsNoThreadForIt() {
    AtomicInteger left = new AtomicInteger(1);
    HostLookup hosts =
        new HostLookup(
            host -> address("10.0.0.5"),
            task -> {
              if (left.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return new Thread(task);
            });
    CompletionException e =
        assertThrows(CompletionException.class, () -> await(hosts.find("node-5")));
    assertInstanceOf(UnknownHostException.class, e.getCause());
    assertEquals(address("10.0.0.5"), await(hosts.find("node-5")));
  }

  @Test
  void aNameIsLookedUpEachTime() {
    AtomicInteger times = new AtomicInteger();
    HostLookup hosts = new HostLookup(host -> address("10.0.0." + times.incrementAndGet()));
    assertEquals(address("10.0.0.1"), await(hosts.find("node")));
    assertEquals(address("10.0.0.2"), await(hosts.find("node")));
  }

  @Test
  void aNameThatIsNotThereIsToldAndAskedForAgain() {
    AtomicInteger times = new AtomicInteger();
    HostLookup hosts =
        new HostLookup(
            host -> {
              if (times.incrementAndGet() == 1) {
                throw new UnknownHostException(host);
              }
              return address("10.0.0.1");
            });
    Throwable failure =
        assertThrows(CompletionException.class, () -> await(hosts.find("node"))).getCause();
    assertInstanceOf(UnknownHostException.class, failure);
    assertEquals(address("10.0.0.1"), await(hosts.find("node")));
  }

  @Test
  void aSlowNameIsAskedForOnceAndHoldsNoOtherBack() {
    CountDownLatch slow = new CountDownLatch(1);
    HostLookup hosts =
        new HostLookup(
            host -> {
              if (host.equals("slow")) {
                try {
                  slow.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
              return address("10.0.0.1");
            });
    CompletableFuture<InetAddress> first = hosts.find("slow");
    assertSame(first, hosts.find("slow"));
    assertEquals(address("10.0.0.1"), await(hosts.find("quick")));
    assertFalse(first.isDone());
    slow.countDown();
    assertEquals(address("10.0.0.1"), await(first));
  }

  private static TcpTransport node(TcpOptions options, int number, HostLookup hosts) {
    return new TcpTransport(config(number, NodeRole.STORAGE), options, hosts);
  }

  private static Handlers answering(String text) {
    return new Handlers().on(WHERE, request -> request.reply(text(text)));
  }

  private static String ask(Peer peer) {
    return take(await(peer.call(WHERE, text(""), LONG)));
  }

  @Test
  void aNodeIsFoundAgainWhereItsNameSaysNowAlsoWithTls() {
    TcpOptions options = new TcpOptions(SocketIo.best(), 1, TcpHarness.tls("one"));
    AtomicReference<String> where = new AtomicReference<>("127.0.0.1");
    HostLookup hosts = new HostLookup(host -> address(where.get()));
    try (TcpTransport client = node(options, 2, hosts)) {
      NodeAddress first;
      Peer peer;
      try (TcpTransport server = node(options, 1, hosts)) {
        first = server.listen(new NodeAddress("127.0.0.1", 0), answering("before"));
        peer = client.connect(new NodeAddress("node-1", first.port()), 1);
        await(peer.connected());
        assertEquals("before", ask(peer));
      }
      where.set("127.0.0.2");
      try (TcpTransport server = node(options, 1, hosts)) {
        server.listen(new NodeAddress("127.0.0.2", first.port()), answering("after"));
        assertEquals("after", askAgain(peer));
        assertTrue(peer.isConnected());
      }
    }
  }

  /** The client may not have noticed yet that its first connection is gone: that call fails. */
  private static String askAgain(Peer peer) {
    while (true) {
      await(peer.connected());
      try {
        return ask(peer);
      } catch (CompletionException lost) {
        TransportException why = assertInstanceOf(TransportException.class, lost.getCause());
        assertEquals(TransportException.Reason.DISCONNECTED, why.reason());
      }
    }
  }
}
