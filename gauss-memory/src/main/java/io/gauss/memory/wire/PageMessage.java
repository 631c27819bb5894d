package io.gauss.memory.wire;

import io.netty.buffer.ByteBuf;

/**
 * One thing said about a page. What {@code slot}, {@code number} and {@code lsn} mean depends on
 * the kind; they are 0 where they mean nothing.
 *
 * @param homeEpoch epoch of the bucket's home that says it or is told; between compute nodes {@link
 *     TransferTimes} where a page comes with it, otherwise 0
 * @param page id of the page
 * @param slotEpoch epoch of the node that is meant by {@code slot}: another process that has come
 *     in its place is not meant
 * @param bytes the page, or null. Whoever gets a message owns them, and releases them
 */
public record PageMessage(
    PageMessageKind kind,
    long homeEpoch,
    long page,
    int slot,
    int slotEpoch,
    long number,
    long lsn,
    ByteBuf bytes) {

  public void release() {
    if (bytes != null) {
      bytes.release();
    }
  }
}
