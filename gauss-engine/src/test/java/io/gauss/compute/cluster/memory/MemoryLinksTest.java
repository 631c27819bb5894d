package io.gauss.compute.cluster.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.common.id.LamportClock;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportSettings;
import io.gauss.common.transport.local.LocalNetwork;
import io.gauss.common.transport.session.SessionLink;
import io.gauss.common.transport.session.SessionServer;
import io.gauss.compute.peer.NodeSessions;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.BucketMap;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Lease;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.SliceMap;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A compute node and two memory nodes that say what they are home of. */
class MemoryLinksTest {
  private static final LockName LOCK = new LockName(LockName.Kind.TABLE, 7);
  private static final int BUCKET = LOCK.bucket();
  private static final int SLOT = 1;

  private final LocalNetwork network = new LocalNetwork();
  private final Transport compute = network.transport(TestNodes.config(1, NodeRole.COMPUTE));
  private final NodeSessions sessions = new NodeSessions(compute.self(), compute.allocator());
  private final MemoryLinks links = new MemoryLinks(compute, SLOT);
  private final BlockingQueue<String> got = new LinkedBlockingQueue<>();
  private final NodeAddress address;
  private final Memory one = new Memory(101, 1);
  private final Memory other = new Memory(102, 2);

  MemoryLinksTest() {
    Handlers handlers = new Handlers();
    sessions.register(handlers);
    address = compute.listen(new NodeAddress("compute", 1), handlers);
  }

  /** A memory node, which keeps what it is told. */
  private final class Memory implements AutoCloseable {
    private final int node;
    private final int epoch;
    private final Transport transport;
    private final NodeAddress at;
    private final SessionLink out = new SessionLink(1);
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    Memory(int node, int epoch) {
      this.node = node;
      this.epoch = epoch;
      this.transport =
          network.transport(
              new TransportConfig(
                  NodeIdentity.of(
                      node, NodeRole.MEMORY, epoch, new LamportClock(node, Lsn.of(100, node))),
                  TestNodes.KEY,
                  EpochGuard.NONE,
                  TransportSettings.DEFAULTS,
                  new SimpleMeterRegistry()));
      Handlers handlers = new Handlers();
      new SessionServer(transport.self(), transport.allocator(), (s, e, type, p) -> hear(type, p))
          .register(handlers);
      at = transport.listen(new NodeAddress("memory-" + node, 1), handlers);
    }

    private void hear(int type, ByteBuf payload) {
      if (type == LockLayout.EVENTS.id()) {
        LockLayout.readAtHome(payload, (name, what) -> heard.add(what.toString()));
      } else {
        PageMessageLayout.read(
            payload, ToHome.class, message -> heard.add(message.kind().toString()));
      }
    }

    void says(FromHome message) {
      out.connect(transport, transport.self(), 1, address);
      out.send(
          PageMessageLayout.PAGES,
          PageMessageLayout.write(transport.allocator(), List.of(message)));
    }

    void grants() {
      ByteBuf order = LockLayout.begin(Unpooled.directBuffer(), SLOT, BUCKET);
      LockLayout.add(order, LOCK, new LockAction.Grant(1, 5, LockMode.ACCESS_SHARE, node));
      out.send(LockLayout.ORDERS, order);
    }

    MapNode inMap() {
      return new MapNode(
          node,
          Set.of(Role.MEMORY),
          0,
          "",
          List.of(new Endpoint(Endpoint.Purpose.PEER, at.host(), at.port())),
          epoch,
          epoch,
          NodeState.UP,
          new Lease(3000, 0),
          false);
    }

    @Override
    public void close() {
      out.close();
      transport.close();
    }
  }

  @AfterEach
  void close() {
    links.close();
    sessions.close();
    one.close();
    other.close();
    compute.close();
  }

  private void follow(Memory... memories) {
    SortedMap<Integer, MapNode> nodes = new TreeMap<>();
    for (Memory memory : memories) {
      nodes.put(memory.node, memory.inMap());
    }
    links.follow(
        new ClusterMap(
            1,
            TestNodes.CLUSTER,
            1,
            ClusterSettings.DEFAULTS,
            200,
            100,
            0,
            nodes,
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            BucketMap.EMPTY,
            new TreeMap<>(),
            SliceMap.NONE));
  }

  /** Reports a lease whenever there is another home. */
  private void listen() {
    links.receiver(
        new LockLink.Receiver() {
          @Override
          public void homeChanged(int bucket) {
            ByteBuf report = links.message(bucket);
            LockLayout.add(report, LOCK, new Message.Report(LockMode.ACCESS_SHARE, 3));
            links.toHome(bucket, report);
          }

          @Override
          public void askAgain(int bucket) {
            got.add("ask again");
          }

          @Override
          public void order(LockName name, LockAction action) {
            got.add("grant " + ((LockAction.Grant) action).number());
          }

          @Override
          public void refused(LockName name, long request, String sqlState, String message) {
            got.add(sqlState);
          }
        });
    links.register(
        sessions,
        new PageReceiver() {
          @Override
          public void fromHome(List<FromHome> messages) {
            for (FromHome message : messages) {
              got.add(message.kind().toString());
              if (message instanceof FromHome.Home home) {
                say(new ToHome.Reported(home.homeEpoch(), BUCKET, SLOT, 0));
              }
            }
          }

          @Override
          public void fromCompute(int slot, int epoch, List<FromHolder> messages) {
            got.add("from compute node");
          }
        },
        (node, epoch) -> 0);
  }

  private void say(ToHome message) {
    Outbox out = links.outbox((slot, epoch, type, payload) -> payload.release());
    out.toHome(BUCKET, message);
    out.flush();
  }

  private static String next(BlockingQueue<String> from) throws InterruptedException {
    return from.poll(180, TimeUnit.SECONDS);
  }

  @Test
  void aReportGoesToWhoAskedForItThoughTheMapNamesNobodyYetAndLocksComeFirst() throws Exception {
    one.says(new FromHome.Home(256, BUCKET));
    listen();
    assertEquals("HOME", next(got), "what came before anybody listened is not lost");
    follow(one, other);
    assertEquals(new Message.Report(LockMode.ACCESS_SHARE, 3).toString(), next(one.heard));
    assertEquals("REPORTED", next(one.heard));
    assertNull(other.heard.poll());
  }

  @Test
  void whoWasTheHomeBeforeOrdersNothingAnyMore() throws Exception {
    listen();
    follow(one, other);
    one.says(new FromHome.Home(256, BUCKET));
    assertEquals("HOME", next(got));
    other.says(new FromHome.Home(512, BUCKET));
    assertEquals("HOME", next(got));
    one.grants();
    one.says(new FromHome.AskAgain(256, BUCKET));
    assertEquals("ASK_AGAIN", next(got), "the holders of pages know by the epoch that it is late");
    other.grants();
    assertEquals("grant 102", next(got));
    other.says(new FromHome.AskAgain(512, BUCKET));
    assertEquals("ask again", next(got));
    say(new ToHome.Want(512, BUCKET, Mode.READ));
    assertEquals(new Message.Report(LockMode.ACCESS_SHARE, 3).toString(), next(other.heard));
    assertEquals("REPORTED", next(other.heard));
    assertEquals("WANT_READ", next(other.heard));
    assertEquals(1, links.movedHomes());
  }

  /**
   * What is granted would be known to no home if it were taken behind the report to the new one.
   * Messages of two homes come on two threads; here one of them is the test's, which takes what has
   * come before anybody listened.
   */
  @Test
  void aGrantIsTakenAsAWholeBeforeTheNextHomeIsReportedTo() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    links.receiver(
        new LockLink.Receiver() {
          @Override
          public void homeChanged(int bucket) {
            events.add("report");
          }

          @Override
          public void askAgain(int bucket) {
            throw new AssertionError("no home serves");
          }

          @Override
          public void order(LockName name, LockAction action) {
            events.add("grant");
            other.says(new FromHome.Home(512, BUCKET));
            while (events.size() < 3 && !isAThreadBlocked()) {
              Thread.yield();
            }
            events.add("taken");
          }

          @Override
          public void refused(LockName name, long request, String sqlState, String message) {
            throw new AssertionError(message);
          }
        });
    one.says(new FromHome.Home(256, BUCKET));
    one.grants();
    while (one.out.waitingMessages() > 0) {
      Thread.yield();
    }
    links.register(
        sessions,
        new PageReceiver() {
          @Override
          public void fromHome(List<FromHome> messages) {
            // It has no pages.
          }

          @Override
          public void fromCompute(int slot, int epoch, List<FromHolder> messages) {
            throw new AssertionError("there is no other compute node");
          }
        },
        (node, epoch) -> 0);
    for (String event : List.of("report", "grant", "taken", "report")) {
      assertEquals(event, next(events));
    }
  }

  /** Whether a thread waits for one that takes what a home says. */
  private static boolean isAThreadBlocked() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getState() == Thread.State.BLOCKED)
        .flatMap(entry -> Arrays.stream(entry.getValue()))
        .anyMatch(frame -> frame.getClassName().equals(MemoryLinks.class.getName()));
  }

  @Test
  void beforeAHomeHasSpokenNothingIsSaid() throws Exception {
    listen();
    follow(one);
    say(new ToHome.Want(0, BUCKET, Mode.READ));
    ByteBuf request = links.message(BUCKET);
    links.toHome(BUCKET, request);
    assertEquals(0, request.refCnt());
    one.says(new FromHome.Home(256, BUCKET));
    next(one.heard);
    assertEquals("REPORTED", next(one.heard));
  }
}
