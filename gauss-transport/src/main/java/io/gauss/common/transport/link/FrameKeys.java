package io.gauss.common.transport.link;

/**
 * What authenticates the messages of a connection that is not encrypted, as agreed in its hello.
 *
 * @param sent of the messages that this side sends
 * @param received of those that it receives
 */
public record FrameKeys(FrameMac sent, FrameMac received) {}
