package io.gauss.compute.cluster.memory;

import io.gauss.common.transport.session.SessionLink;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Messages about pages, gathered by receiver: all messages of one cause go to a node in one frame,
 * as soon as they are complete ({@link #flush}). Belongs to one thread.
 */
final class PageOutbox implements Outbox {
  /** Beyond that, pages go back to their home without their bytes. */
  static final long MOST_WAITING_BYTES = 16L << 20;

  private static final int FULL_BYTES = 256 << 10;

  private final MemoryLinks memory;
  private final ComputeOutbox computes;
  private final ByteBufAllocator allocator;
  private final Map<SessionLink, Gathered> forHomes = new LinkedHashMap<>();
  private final Map<Receiver, Gathered> forComputes = new LinkedHashMap<>();

  private record Receiver(int slot, int epoch) {}

  /** What one node gets next. */
  private static final class Gathered {
    private final List<PageMessage> messages = new ArrayList<>();
    private int bytes;
  }

  PageOutbox(MemoryLinks memory, ComputeOutbox computes, ByteBufAllocator allocator) {
    this.memory = memory;
    this.computes = computes;
    this.allocator = allocator;
  }

  @Override
  public void toCompute(int slot, int epoch, ToCompute message) {
    Receiver to = new Receiver(slot, epoch);
    add(
        forComputes.computeIfAbsent(to, t -> new Gathered()),
        message,
        frame -> computes.send(slot, epoch, PageMessageLayout.PAGES, frame));
  }

  @Override
  public void toHome(int bucket, ToHome message) {
    SessionLink home = memory.home(bucket);
    if (home == null) {
      message.release();
      return;
    }
    memory.said(1);
    add(
        forHomes.computeIfAbsent(home, h -> new Gathered()),
        message instanceof ToHome.Release release && home.waitingBytes() > MOST_WAITING_BYTES
            ? release.withoutBytes()
            : message,
        frame -> home.send(PageMessageLayout.PAGES, frame));
  }

  private void add(Gathered to, PageMessage message, Consumer<ByteBuf> sender) {
    to.messages.add(message);
    to.bytes += PageMessageLayout.bytes(message);
    if (to.bytes >= FULL_BYTES) {
      send(to, sender);
    }
  }

  private void send(Gathered what, Consumer<ByteBuf> sender) {
    if (!what.messages.isEmpty()) {
      ByteBuf frame = PageMessageLayout.write(allocator, what.messages);
      what.messages.clear();
      what.bytes = 0;
      sender.accept(frame);
    }
  }

  @Override
  public void flush() {
    if (!forHomes.isEmpty()) {
      forHomes.forEach(
          (home, what) -> send(what, frame -> home.send(PageMessageLayout.PAGES, frame)));
      forHomes.clear();
    }
    if (!forComputes.isEmpty()) {
      forComputes.forEach(
          (to, what) ->
              send(
                  what,
                  frame -> computes.send(to.slot(), to.epoch(), PageMessageLayout.PAGES, frame)));
      forComputes.clear();
    }
  }
}
