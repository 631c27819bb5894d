package io.gauss.memory.wire;

import io.netty.buffer.ByteBuf;

/**
 * A message about a page, about a bucket of pages, or about how far page stores have applied a
 * stream. Each kind is a record of its own, with exactly the fields that it has on the wire; {@link
 * PageMessageLayout} has the wire format.
 *
 * <p>Epochs of slots: a message that names another compute node has the epoch of that process, so
 * that it does not refer to a later process in that slot.
 */
public sealed interface PageMessage permits ToHome, ToCompute {

  /** Its kind on the wire. */
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
