package io.gauss.compute.routing.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import java.util.function.IntToLongFunction;

/**
 * Offer: pages that the sender has and the receiver is to own. Answer: how many of them the
 * receiver accepts. Integers are little-endian.
 *
 * <pre>
 * offer   version u16 = 1 | number of pages u16 | pages i64
 * answer  version u16 = 1 | how many, from the first on, are taken u16
 * </pre>
 */
public final class OfferLayout {
  public static final int VERSION = 1;

  private OfferLayout() {}

  private static GaussException broken() {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, "an offer of pages that is none");
  }

  /**
   * @param count at most 65,535
   */
  public static ByteBuf writeOffer(ByteBuf to, int count, IntToLongFunction page) {
    to.writeShortLE(VERSION).writeShortLE(count);
    for (int i = 0; i < count; i++) {
      to.writeLongLE(page.applyAsLong(i));
    }
    return to;
  }

  /**
   * @throws GaussException 08P01 when it is malformed
   */
  public static long[] readOffer(ByteBuf from) {
    try {
      check(from);
      long[] pages = new long[from.readUnsignedShortLE()];
      for (int i = 0; i < pages.length; i++) {
        pages[i] = from.readLongLE();
      }
      return pages;
    } catch (IndexOutOfBoundsException e) {
      throw broken();
    }
  }

  public static ByteBuf writeAnswer(ByteBuf to, int taken) {
    return to.writeShortLE(VERSION).writeShortLE(taken);
  }

  /**
   * @throws GaussException 08P01 when it is malformed
   */
  public static int readAnswer(ByteBuf from) {
    try {
      check(from);
      return from.readUnsignedShortLE();
    } catch (IndexOutOfBoundsException e) {
      throw broken();
    }
  }

  private static void check(ByteBuf from) {
    if (from.readUnsignedShortLE() != VERSION) {
      throw broken();
    }
  }
}
