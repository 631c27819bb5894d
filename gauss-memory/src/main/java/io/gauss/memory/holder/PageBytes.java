package io.gauss.memory.holder;

import io.netty.buffer.ByteBuf;

/**
 * A copy of a page that is to be sent.
 *
 * @param lsn of the page
 * @param bytes the page; the message that they go with takes them over
 */
record PageBytes(long lsn, ByteBuf bytes) {}
