/**
 * What is the same for every kind of transport: the message header, the hello, calls, streams,
 * deadlines, limits, reconnecting. Internal to {@code io.gauss.common.transport}; nobody else uses
 * it.
 *
 * <p>A {@link io.gauss.common.transport.link.Wire} carries messages; a {@link
 * io.gauss.common.transport.link.Link} is one connection over a wire and lives on one {@link
 * io.gauss.common.transport.link.Loop}, with no locks. Other threads reach it through a {@link
 * io.gauss.common.transport.link.LoopQueue}.
 */
package io.gauss.common.transport.link;
