package io.gauss.server.architecture.example.above;

import io.gauss.server.architecture.example.open.TooOpen;

/** Uses a part of what is open. */
public final class UserOfOpen {
  private UserOfOpen() {}

  static int use() {
    return new TooOpen("").usedByAnother() + TooOpen.Constants.COPIED;
  }
}
