package io.gauss.simulation.cluster;

import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.local.Carrier.Messages;
import io.gauss.common.transport.session.SessionLayout;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.PageMessageKind;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.storage.map.codec.MapFrameLayout;
import io.gauss.storage.map.message.MapMessages;
import io.netty.buffer.ByteBuf;
import java.util.Set;

/** Messages at which faults are aimed. */
enum MessageSort {
  /** A home tells an owner to give a page to another node. */
  TRANSFER(PageMessageKind.TRANSFER),
  /** A page that goes to its next owner. */
  GIVEN(PageMessageKind.GIVEN),
  /** A compute node has told a new home all that it has. */
  REPORTED(PageMessageKind.REPORTED),
  /** A new owner has got its page. */
  CONFIRM(PageMessageKind.CONFIRM),
  /** A page goes back to its home. */
  RELEASE(PageMessageKind.RELEASE),
  /** A memory node is the home from now on. */
  HOME(PageMessageKind.HOME),
  /** What compute nodes say about locks. */
  LOCKS(Set.of(), LockLayout.EVENTS.id(), 0),
  /** What homes say about locks. */
  ORDERS(Set.of(), LockLayout.ORDERS.id(), 0),
  /** The cluster's map, and what is asked of it. */
  MAP(Set.of(), MapMessages.CLUSTER_MAP.id(), 0),
  /** A node has installed another one's beginning. */
  ACKNOWLEDGE_JOIN(Set.of(), MapMessages.CLUSTER_MAP.id(), 4),
  /** A node has installed another one's end. */
  ACKNOWLEDGE_DEATH(Set.of(), MapMessages.CLUSTER_MAP.id(), 18),
  /** A recoverer is done. */
  FINISH_RECOVERY(Set.of(), MapMessages.CLUSTER_MAP.id(), 20);

  private static final int PROPOSE = 2; // among the requests to the cluster's map
  private static final int WITH_PAGE = 1;

  /** Behind the frame of the request: its type, and the length and the frame of the command. */
  private static final int COMMAND =
      MapFrameLayout.PAYLOAD + 1 + Integer.BYTES + MapFrameLayout.PAYLOAD;

  private final Set<PageMessageKind> pages;
  private final int type;
  private final int command; // 0 = any, and what is no command

  MessageSort(PageMessageKind page) {
    this(Set.of(page), PageMessageLayout.PAGES.id(), 0);
  }

  MessageSort(Set<PageMessageKind> pages, int type, int command) {
    this.pages = pages;
    this.type = type;
    this.command = command;
  }

  /** Whether some of the messages are of this sort. */
  boolean isIn(Messages messages) {
    for (int i = 0; i < messages.count(); i++) {
      ByteBuf payload = messages.payload(i);
      boolean isData = messages.type(i) == SessionLayout.DATA.id();
      int is = isData ? SessionLayout.dataType(payload) : messages.type(i);
      int at = payload.readerIndex() + (isData ? SessionLayout.DATA_HEADER_BYTES : 0);
      if (is == type && (pages.isEmpty() ? isCommand(payload, at) : hasPage(payload, at))) {
        return true;
      }
    }
    return false;
  }

  private boolean isCommand(ByteBuf payload, int at) {
    return command == 0
        || payload.writerIndex() > at + COMMAND
            && payload.getByte(at + MapFrameLayout.PAYLOAD) == PROPOSE
            && payload.getByte(at + COMMAND) == command;
  }

  private boolean hasPage(ByteBuf payload, int at) {
    int next = at + PageMessageLayout.HEADER_BYTES;
    while (next < payload.writerIndex()) {
      int kind = payload.getUnsignedByte(next);
      if (pages.stream().anyMatch(page -> page.id() == kind)) {
        return true;
      }
      next +=
          PageMessageLayout.ITEM_BYTES + (isWithPage(payload, next) ? PageLayout.PAGE_BYTES : 0);
    }
    return false;
  }

  private static boolean isWithPage(ByteBuf payload, int item) {
    return (payload.getByte(item + 1) & WITH_PAGE) != 0;
  }

  /**
   * Damages a page that is on its way, if there is one of these kinds.
   *
   * @param random decides where
   * @return whether there was one
   */
  static boolean damage(Messages messages, Set<PageMessageKind> kinds, int random) {
    for (int i = 0; i < messages.count(); i++) {
      ByteBuf payload = messages.payload(i);
      if (messages.type(i) != SessionLayout.DATA.id()
          || SessionLayout.dataType(payload) != PageMessageLayout.PAGES.id()) {
        continue;
      }
      int at =
          payload.readerIndex() + SessionLayout.DATA_HEADER_BYTES + PageMessageLayout.HEADER_BYTES;
      while (at < payload.writerIndex()) {
        int kind = payload.getUnsignedByte(at);
        boolean isWithPage = isWithPage(payload, at);
        at += PageMessageLayout.ITEM_BYTES;
        if (isWithPage && kinds.stream().anyMatch(one -> one.id() == kind)) {
          ByteBuf damaged = payload.copy(); // the sender still has its own
          int where = at - payload.readerIndex() + Math.floorMod(random, PageLayout.PAGE_BYTES);
          damaged.setByte(where, damaged.getByte(where) ^ 1);
          messages.replace(i, damaged);
          return true;
        }
        at += isWithPage ? PageLayout.PAGE_BYTES : 0;
      }
    }
    return false;
  }
}
