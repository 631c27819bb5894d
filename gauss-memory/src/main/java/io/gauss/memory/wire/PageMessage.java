package io.gauss.memory.wire;

import io.netty.buffer.ByteBuf;

/**
 * One thing said about a page, about a bucket of pages, or about what page stores have applied.
 * Each kind is a record of its own, with the fields that it has on the wire and no others; the wire
 * format is {@link PageMessageLayout}'s.
 *
 * <p>Epochs of slots: a message that names another compute node has the epoch of that process, so
 * that a process that has come in its place is not meant.
 */
public sealed interface PageMessage permits ToHome, ToCompute {

  /** The kind by which it is known on the wire. */
  PageMessageKind kind();

  /** The page's bytes, or null. Owned by the receiver of the message, which releases them. */
  default ByteBuf bytes() {
    return null;
  }

  default void release() {
    ByteBuf bytes = bytes();
    if (bytes != null) {
      bytes.release();
    }
  }
}
