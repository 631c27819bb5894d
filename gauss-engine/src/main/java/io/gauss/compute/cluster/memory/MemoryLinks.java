package io.gauss.compute.cluster.memory;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.session.SessionLink;
import io.gauss.compute.peer.NodeSessions;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.PageBuckets;
import io.gauss.storage.map.api.Role;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * This compute node's links to the memory nodes, one for each of them and each of their epochs, and
 * which of them is the home of which bucket.
 *
 * <p><b>Homes speak first.</b> The home of a bucket is the memory node that last declared itself
 * so, under the highest epoch (message HOME), and not the one that this node's cluster map names:
 * the two may see a new map at different times, and an answer to a home has to go to the one that
 * asked. Before any has declared itself nothing is sent; it would be dropped there. All requests
 * are repeated when a home begins to serve.
 *
 * <p><b>The messages that wait for a memory node that does not read are bounded.</b> For each page
 * of which a frame is here or being loaded one request can be under way, a second follows only its
 * answer; a page that is given back is requested from that home again only after that home has
 * answered; a report names each page once. So it is a few items of 40 bytes for each frame of the
 * pool and for each bucket. Pages are given back without their bytes as soon as {@link
 * PageOutbox#MOST_WAITING_BYTES} wait: the page stores also have the bytes.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class MemoryLinks implements LockLink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryLinks.class);

  /** That change their home at once: when a memory node has come or is lost. */
  private static final int MANY_BUCKETS = 130;

  private static final int LOCK_BYTES = 64;

  private final Transport transport;
  private final int slot;
  private final Map<Integer, MemoryLink> links = new ConcurrentHashMap<>(); // by epoch
  private final AtomicReferenceArray<Home> homes = new AtomicReferenceArray<>(PageBuckets.BUCKETS);
  private final LongAdder known = new LongAdder();
  private final LongAdder moved = new LongAdder();
  private final LongAdder messages = new LongAdder();
  private volatile PageReceiver pages;
  private volatile LockLink.Receiver locks;

  /** A memory node in one epoch. */
  private record MemoryLink(int node, SessionLink session) {
    int epoch() {
      return session.epoch();
    }
  }

  /**
   * The home of a bucket.
   *
   * @param epoch under which it is, above those of all homes before it
   */
  private record Home(long epoch, MemoryLink link) {}

  /**
   * @param transport still belongs to the caller
   * @param slot of this node
   */
  public MemoryLinks(Transport transport, int slot) {
    this.transport = transport;
    this.slot = slot;
  }

  /**
   * From here on receives the messages of memory nodes; compute nodes send messages about pages
   * under the same type.
   */
  public void register(NodeSessions sessions, PageReceiver receiver, ComputeSlots slots) {
    pages = receiver;
    sessions.on(
        PageMessageLayout.PAGES,
        (sender, epoch, payload) -> {
          if (sender.role() == NodeRole.MEMORY) {
            homeSays(sender, epoch, payload);
          } else {
            computeSays(slots.slotOf(sender.node(), epoch), epoch, payload);
          }
        });
    sessions.on(LockLayout.ORDERS, this::homeOrders);
  }

  /** The slots of compute nodes. */
  @FunctionalInterface
  public interface ComputeSlots {
    /** 0 when it is not known here, or not in this epoch. */
    int slotOf(int node, int epoch);
  }

  // ---- members

  /** Connects to the memory nodes of the map, and ends the links to those that are dead. */
  public void follow(ClusterMap map) {
    for (MapNode node : map.live(Role.MEMORY)) {
      node.endpoint(Endpoint.Purpose.PEER)
          .ifPresent(
              at ->
                  link(node.id(), node.epoch())
                      .session()
                      .connect(
                          transport,
                          transport.self(),
                          node.id(),
                          new NodeAddress(at.host(), at.port())));
    }
    for (MemoryLink link : links.values()) {
      if (map.isDead(link.node(), link.epoch()) && drop(link)) {
        LOG.info("memory node {} is gone in epoch {}", link.node(), link.epoch());
      }
    }
  }

  /** Messages to a node that is not yet in the map known here wait until it is. */
  private MemoryLink link(int node, int epoch) {
    return links.computeIfAbsent(epoch, e -> new MemoryLink(node, new SessionLink(e)));
  }

  private boolean drop(MemoryLink link) {
    boolean isThere = links.remove(link.epoch(), link);
    link.session().close();
    return isThere;
  }

  // ---- what homes say

  private void homeSays(RemoteNode sender, int epoch, ByteBuf payload) {
    MemoryLink link = link(sender.node(), epoch);
    read(payload, FromHome.class, all -> homeSays(link, all));
  }

  private void homeSays(MemoryLink link, List<FromHome> all) {
    int taken = 0;
    for (FromHome message : all) {
      if (message instanceof FromHome.Home home) {
        taken += changed(home.bucket(), home.homeEpoch(), link) ? 1 : 0;
      } else if (message instanceof FromHome.AskAgain again) {
        askAgain(again.bucket(), again.homeEpoch());
      }
    }
    if (taken > 0) {
      // Buckets that move come 128 at a time at most; storage nodes log how far it is.
      LOG.atLevel(taken < MANY_BUCKETS ? Level.DEBUG : Level.INFO)
          .log("memory node {} is the home of {} more buckets", link.node(), taken);
    }
    said(all.size());
    pages.fromHome(all);
  }

  /** Hands out what can be read, also of a frame that is partly invalid. */
  private static <M extends PageMessage> void read(
      ByteBuf payload, Class<M> sort, Consumer<List<M>> to) {
    List<M> messages = new ArrayList<>();
    try {
      PageMessageLayout.read(payload, sort, messages::add);
    } finally {
      to.accept(messages);
    }
  }

  /**
   * Locks are reported before pages.
   *
   * @return whether the home is another node than before
   */
  private boolean changed(int bucket, long homeEpoch, MemoryLink link) {
    synchronized (homes) {
      Home before = homes.get(bucket);
      if (before != null && before.epoch() >= homeEpoch) {
        return false;
      }
      homes.set(bucket, new Home(homeEpoch, link));
      if (before == null) {
        known.increment();
      } else if (before.link() != link) {
        moved.increment();
      }
      tell("home changed", receiver -> receiver.homeChanged(bucket));
      return before == null || before.link() != link;
    }
  }

  /** A failure with locks must not prevent the report of pages: their bucket would stay closed. */
  private void tell(String what, Consumer<LockLink.Receiver> action) {
    LockLink.Receiver receiver = locks;
    if (receiver != null) {
      try {
        action.accept(receiver);
      } catch (RuntimeException e) {
        LOG.error("locks did not take that a {}", what, e);
      }
    }
  }

  private void askAgain(int bucket, long homeEpoch) {
    Home home = homes.get(bucket);
    if (home != null && home.epoch() == homeEpoch) {
      tell("home serves", receiver -> receiver.askAgain(bucket));
    }
  }

  private void homeOrders(RemoteNode sender, int epoch, ByteBuf payload) {
    if (locks == null) {
      LOG.error("{} orders locks, of which this node has none", sender);
      return;
    }
    LockLayout.readAtNode(
        payload,
        transport.self().epoch().getAsInt(),
        new LockLayout.NodeReceiver() {
          @Override
          public void order(LockName name, LockAction action) {
            homeSays(name, epoch, "home ordered something", locking -> locking.order(name, action));
          }

          @Override
          public void refused(LockName name, long request, String state, String why) {
            homeSays(
                name,
                epoch,
                "home refused a request",
                locking -> locking.refused(name, request, state, why));
          }
        });
  }

  /**
   * What another node says than the lock's home is ignored. The home may not change in between: a
   * grant of the one before that is taken after what is granted was reported to the new home would
   * be known to no home, and somebody else would get the lock, too.
   */
  private void homeSays(LockName name, int epoch, String what, Consumer<LockLink.Receiver> action) {
    synchronized (homes) {
      Home home = homes.get(name.bucket());
      if (home != null && home.link().epoch() == epoch) {
        tell(what, action);
      }
    }
  }

  private void computeSays(int from, int epoch, ByteBuf payload) {
    if (from == 0) {
      // A node that gets a page was installed here before it could request any; so this one is
      // dead.
      LOG.debug("pages of epoch {}, which is not known here", epoch);
      return;
    }
    read(payload, FromHolder.class, all -> pages.fromCompute(from, epoch, all));
  }

  // ---- what this node says

  /** Gathers one thread's messages about pages; belongs to that thread. */
  public Outbox outbox(ComputeOutbox computes) {
    return new PageOutbox(this, computes, transport.allocator());
  }

  /** Sends a message to all memory nodes, whichever buckets they are home of. */
  void toAll(ToHome.Applied message) {
    for (MemoryLink link : links.values()) {
      link.session()
          .send(
              PageMessageLayout.PAGES,
              PageMessageLayout.write(transport.allocator(), List.of(message)));
    }
  }

  /** Sessions with the memory nodes, by their numbers. */
  Map<Integer, SessionLink> sessions() {
    Map<Integer, SessionLink> sessions = new TreeMap<>();
    links.values().forEach(link -> sessions.put(link.node(), link.session()));
    return sessions;
  }

  ByteBufAllocator allocator() {
    return transport.allocator();
  }

  /** The session with the bucket's home; null while none has declared itself. */
  SessionLink home(int bucket) {
    Home home = homes.get(bucket);
    return home == null ? null : home.link().session();
  }

  @Override
  public void receiver(LockLink.Receiver receiver) {
    locks = receiver;
  }

  @Override
  public ByteBuf message(int bucket) {
    return LockLayout.begin(transport.allocator().directBuffer(LOCK_BYTES), slot, bucket);
  }

  @Override
  public void toHome(int bucket, ByteBuf message) {
    SessionLink home = home(bucket);
    if (home == null) {
      message.release();
    } else {
      home.send(LockLayout.EVENTS, message);
    }
  }

  // ---- how it goes

  /** Counts messages about pages to or from memory nodes. */
  void said(int count) {
    messages.add(count);
  }

  /** Messages about pages to memory nodes and from them. */
  public long messages() {
    return messages.sum();
  }

  /** How often a bucket's home became another node. */
  public long movedHomes() {
    return moved.sum();
  }

  /** Messages that memory nodes have not acknowledged yet. */
  public int waitingMessages() {
    return links.values().stream().mapToInt(link -> link.session().waitingMessages()).sum();
  }

  /** Number of memory nodes to which there are links. */
  public int nodes() {
    return links.size();
  }

  @Override
  public void close() {
    links.values().forEach(this::drop);
  }
}
