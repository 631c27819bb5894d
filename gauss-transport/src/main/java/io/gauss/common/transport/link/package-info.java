/**
 * The common part of all kinds of transport: the message header, the hello, calls, streams,
 * deadlines, limits, reconnecting. Internal to {@code io.gauss.common.transport}.
 *
 * <p>A {@link io.gauss.common.transport.link.Wire} carries messages; a {@link
 * io.gauss.common.transport.link.Link} is one connection over a wire and is confined to one {@link
 * io.gauss.common.transport.link.Loop}, without locks. Other threads reach it through a {@link
 * io.gauss.common.transport.link.LoopQueue}.
 */
package io.gauss.common.transport.link;
