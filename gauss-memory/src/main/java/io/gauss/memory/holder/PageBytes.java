package io.gauss.memory.holder;

import io.netty.buffer.ByteBuf;

/**
 * A copy of a page that is to be sent.
 *
 * @param lsn of the page
 * @param bytes the page; the message that carries them takes them over
 */
record PageBytes(long lsn, ByteBuf bytes) {}
