package io.gauss.compute.notify;

import io.gauss.compute.notify.wire.NotifyLayout;
import java.util.ArrayDeque;

/** What is known of another compute node. Under the lock of {@link Notifications}. */
final class OtherNode {
  /** Bytes of parts that a node may have without having answered: the rest waits for that. */
  static final long MOST_UNANSWERED = 4L << 20;

  final int slot;
  long[] classes = new long[NotifyLayout.CLASSES / Long.SIZE];

  /** It has been asked to what it listens, and has not answered. */
  boolean isAwaited;

  /** What it has acknowledged of {@link Notifications}' changes. */
  long heard;

  final ArrayDeque<Publication.Part> unsent = new ArrayDeque<>();
  long unanswered;

  OtherNode(int slot) {
    this.slot = slot;
  }
}
