package io.gauss.storage.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages that storage nodes serve; the numbers are the format. */
public final class StorageMessages {
  /** Pages at a floor: {@link PageReadLayout}. */
  public static final MessageType READ_PAGES = new MessageType(200, "storage.pages.read");

  /** Stream of how far a node's pages are: {@link PagesProgressLayout}. */
  public static final MessageType WATCH_PAGES = new MessageType(201, "storage.pages.watch");

  private StorageMessages() {}
}
