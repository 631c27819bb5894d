package io.gauss.simulation.cluster;

import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.local.Carrier.Messages;
import io.gauss.common.transport.session.SessionLayout;
import io.gauss.compute.txn.wire.RowState;
import io.gauss.compute.txn.wire.RowWaitLayout;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.txn.wire.XidAnswer;
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
  FINISH_RECOVERY(Set.of(), MapMessages.CLUSTER_MAP.id(), 20),
  /** Who waits for a row is told that its transaction has been rolled back. */
  ROLLED_BACK(Set.of(), TransactionMessages.ROW_STATE.id(), 0) {
    @Override
    boolean isMeant(ByteBuf payload, int at) {
      return RowWaitLayout.state(payload.slice(at, RowWaitLayout.STATE_BYTES))
              instanceof RowState.Over over
          && over.outcome() instanceof XidAnswer.Aborted;
    }
  };

  private static final int PROPOSE = 2; // among the requests to the cluster's map

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
    return pages.isEmpty()
        ? isRequestIn(messages)
        : PageItem.first(messages, item -> pages.stream().anyMatch(item::is)) != null;
  }

  private boolean isRequestIn(Messages messages) {
    for (int i = 0; i < messages.count(); i++) {
      ByteBuf payload = messages.payload(i);
      boolean isData = messages.type(i) == SessionLayout.DATA.id();
      int is = isData ? SessionLayout.dataType(payload) : messages.type(i);
      int at = payload.readerIndex() + (isData ? SessionLayout.DATA_HEADER_BYTES : 0);
      if (is == type && isMeant(payload, at)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a message of this type is of this sort.
   *
   * @param at where it begins in the payload
   */
  boolean isMeant(ByteBuf payload, int at) {
    return command == 0
        || payload.writerIndex() > at + COMMAND
            && payload.getByte(at + MapFrameLayout.PAYLOAD) == PROPOSE
            && payload.getByte(at + COMMAND) == command;
  }

  /**
   * Damages a page that is on its way, if there is one of these kinds.
   *
   * @param random decides where
   * @return whether there was one
   */
  static boolean damage(Messages messages, Set<PageMessageKind> kinds, int random) {
    PageItem item =
        PageItem.first(messages, one -> one.hasBytes() && kinds.stream().anyMatch(one::is));
    if (item == null) {
      return false;
    }
    ByteBuf payload = messages.payload(item.message());
    ByteBuf damaged = payload.copy(); // the sender still has its own
    int where =
        item.bytesAt() - payload.readerIndex() + Math.floorMod(random, PageLayout.PAGE_BYTES);
    damaged.setByte(where, damaged.getByte(where) ^ 1);
    messages.replace(item.message(), damaged);
    return true;
  }
}
