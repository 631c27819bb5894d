package io.gauss.compute.log;

import io.gauss.common.page.PageType;
import io.gauss.common.redo.RedoType;
import io.gauss.compute.buffer.PageGuard;
import io.gauss.compute.mtr.Mtr;

/** Redo of the simplest kind, for tests of pool and log. */
public final class Pages {
  private Pages() {}

  /** A format record: the page becomes an empty one. */
  public static void format(Mtr mtr, PageGuard guard) {
    mtr.startRecord(guard, RedoType.FORMAT);
    mtr.putByte(PageType.META);
    mtr.putByte(0);
    mtr.putByte(0);
    mtr.putByte(0);
    mtr.putInt(0); // generation
    mtr.putInt(0); // right sibling
    mtr.putShort(0);
    mtr.putShort(0);
    mtr.putShort(0xFFFF);
    mtr.endRecord();
  }

  public static void write(Mtr mtr, PageGuard guard, int at, long value) {
    mtr.startRecord(guard, RedoType.WRITE);
    mtr.putShort(at);
    mtr.putLong(value);
    mtr.endRecord();
  }
}
