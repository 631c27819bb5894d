package io.gauss.memory.node;

import io.gauss.common.error.SqlState;
import io.gauss.common.invariant.Invariant;
import io.gauss.memory.coherence.Slots;
import io.gauss.memory.home.LockHomes;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.node.ComputeLinks.ComputeLink;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Orders of one event loop to compute nodes, gathered by receiver, so that the consequences of one
 * incoming frame go to each node in one frame. Belongs to the event loop.
 *
 * <p>That a page which a node gave away has arrived lets it forget the page; nobody waits for that.
 * So it goes with the next frame to that node, or after {@link #LATE_NANOS}.
 */
final class Orders implements Outbox, LockHomes.Orders {
  private static final int FIRST_BYTES = 256;
  private static final int FULL_BYTES = 256 << 10;

  /** How long messages that nobody waits for may wait for others. */
  static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ComputeLinks links;
  private final LongSupplier nanoTime;
  private final ByteBufAllocator allocator;
  private final List<List<ToCompute>> pages = new ArrayList<>();
  private final int[] epochs = new int[Slots.MAX + 1]; // of the receivers of page messages
  private final int[] bytes = new int[Slots.MAX + 1];
  private final Map<Integer, ByteBuf> locks = new TreeMap<>(); // by epoch
  private long used = Slots.NONE; // slots with gathered page messages that somebody waits for
  private long late = Slots.NONE; // slots with others
  private long lateSince;

  Orders(ComputeLinks links, ByteBufAllocator allocator, LongSupplier nanoTime) {
    this.links = links;
    this.nanoTime = nanoTime;
    this.allocator = allocator;
    for (int slot = 0; slot <= Slots.MAX; slot++) {
      pages.add(new ArrayList<>());
    }
  }

  @Override
  public void toCompute(int slot, int epoch, ToCompute message) {
    if (epochs[slot] != epoch) {
      send(slot);
      epochs[slot] = epoch;
    }
    pages.get(slot).add(message);
    bytes[slot] += PageMessageLayout.bytes(message);
    if (!(message instanceof FromHome.Confirmed)) {
      used = Slots.with(used, slot);
    } else {
      if (late == Slots.NONE) {
        lateSince = nanoTime.getAsLong();
      }
      late = Slots.with(late, slot);
    }
    if (bytes[slot] >= FULL_BYTES) {
      send(slot);
    }
  }

  @Override
  public void toHome(int bucket, ToHome message) {
    throw Invariant.broken("a home says nothing to homes: " + message);
  }

  @Override
  public void order(LockName name, LockAction action) {
    LockLayout.add(locks(name, action.epoch()), name, action);
  }

  @Override
  public void refuse(LockName name, int epoch, long request, SqlState state, String why) {
    LockLayout.addRefusal(locks(name, epoch), name, request, state, why);
  }

  /** The bucket in the header is that of the first lock; nodes use the locks' names. */
  private ByteBuf locks(LockName name, int epoch) {
    return locks.computeIfAbsent(
        epoch,
        e -> {
          ComputeLink link = links.ofEpoch(e);
          int slot = link == null ? 0 : link.slot();
          return LockLayout.begin(allocator.directBuffer(FIRST_BYTES), slot, name.bucket());
        });
  }

  @Override
  public void flush() {
    Slots.forEach(used, this::send);
    used = Slots.NONE;
    flushLate();
    locks.forEach(
        (epoch, frame) -> {
          ComputeLink link = links.ofEpoch(epoch);
          if (link == null) {
            frame.release(); // the node is dead
          } else {
            link.link().send(LockLayout.ORDERS, frame);
          }
        });
    locks.clear();
  }

  /** Sends what has waited for long enough. To be called from time to time. */
  void flushLate() {
    if (late != Slots.NONE && nanoTime.getAsLong() - lateSince >= LATE_NANOS) {
      Slots.forEach(late, this::send);
    }
  }

  private void send(int slot) {
    late = Slots.without(late, slot);
    List<ToCompute> messages = pages.get(slot);
    if (messages.isEmpty()) {
      return;
    }
    ComputeLink link = links.ofEpoch(epochs[slot]);
    if (link == null) {
      messages.forEach(ToCompute::release); // the node is dead
    } else {
      link.link().send(PageMessageLayout.PAGES, PageMessageLayout.write(allocator, messages));
    }
    messages.clear();
    bytes[slot] = 0;
  }
}
