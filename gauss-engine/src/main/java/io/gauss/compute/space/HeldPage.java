package io.gauss.compute.space;

import io.gauss.common.memory.Memory;
import io.gauss.common.page.PageLayout;
import io.gauss.compute.buffer.PageGuard;

/** Reads a held page's type. */
final class HeldPage {
  private HeldPage() {}

  static int type(PageGuard guard) {
    return Memory.getUnsignedByte(guard.address() + PageLayout.TYPE);
  }
}
