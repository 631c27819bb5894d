package io.gauss.storage.wire;

/**
 * What a subscription ({@code raft.stream.Subscriptions}) keeps of a stream's log.
 *
 * @param node storage node that needs it
 * @param tenure for which the node has subscribed
 * @param from lowest offset that is kept for it
 * @param bytes from there to the stream's end
 * @param nanos for how long something from there on has been kept without the subscription having
 *     been raised; counted from this node's start at most
 */
public record LogHold(int node, long tenure, long from, long bytes, long nanos) {}
