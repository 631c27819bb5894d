/**
 * Log streams replicated by Raft.
 *
 * <p>A stream lies in the Raft log of its group: an entry is one append, and each replica writes
 * its bytes once. {@link io.gauss.storage.raft.stream.StreamStateMachine} decides which entries
 * belong to the stream and keeps an index of them; {@link
 * io.gauss.storage.raft.stream.StreamService} serves it on a storage node; {@link
 * io.gauss.storage.raft.stream.ReplicatedLogStream} is the stream from the view of its compute
 * node.
 */
package io.gauss.storage.raft.stream;
