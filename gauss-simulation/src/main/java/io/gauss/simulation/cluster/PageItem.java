package io.gauss.simulation.cluster;

import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.local.Carrier.Messages;
import io.gauss.common.transport.session.SessionLayout;
import io.gauss.memory.wire.PageMessageKind;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import java.util.function.Predicate;

/**
 * What one of the messages about pages says that are on their way; see {@link PageMessageLayout}.
 *
 * @param message its number among those that are sent together
 * @param at where it begins in the payload of that one
 * @param slot the reader or taker, of those that have one
 * @param subject the page; of what is about a bucket, its number
 */
record PageItem(int message, int at, int kind, boolean hasBytes, int slot, long subject) {
  private static final int WITH_PAGE = 1;
  private static final int FLAGS = 1;
  private static final int SLOT = 2;
  private static final int SUBJECT = 16;

  boolean is(PageMessageKind one) {
    return kind == one.id();
  }

  /** Where the page's bytes begin, if it has them. */
  int bytesAt() {
    return at + PageMessageLayout.ITEM_BYTES;
  }

  /** Of an item that is about a page. */
  int bucket() {
    return PageBuckets.of(subject);
  }

  /** The first of these; null when there is none. */
  static PageItem first(Messages messages, Predicate<PageItem> choice) {
    for (int i = 0; i < messages.count(); i++) {
      if (messages.type(i) == SessionLayout.DATA.id()
          && SessionLayout.dataType(messages.payload(i)) == PageMessageLayout.PAGES.id()) {
        PageItem found = first(i, messages.payload(i), choice);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static PageItem first(int message, ByteBuf payload, Predicate<PageItem> choice) {
    int at =
        payload.readerIndex() + SessionLayout.DATA_HEADER_BYTES + PageMessageLayout.HEADER_BYTES;
    while (at < payload.writerIndex()) {
      PageItem item = read(message, payload, at);
      if (choice.test(item)) {
        return item;
      }
      at = item.bytesAt() + (item.hasBytes ? PageLayout.PAGE_BYTES : 0);
    }
    return null;
  }

  private static PageItem read(int message, ByteBuf payload, int at) {
    return new PageItem(
        message,
        at,
        payload.getUnsignedByte(at),
        (payload.getByte(at + FLAGS) & WITH_PAGE) != 0,
        payload.getUnsignedShortLE(at + SLOT),
        payload.getLongLE(at + SUBJECT));
  }
}
