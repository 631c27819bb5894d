/**
 * How members of Raft groups talk to each other: Ratis's messages over Gauss's own transport. It
 * carries what Ratis decides and decides nothing itself. Begin with {@link
 * io.gauss.storage.raft.rpc.PeerRpc}, and with {@link io.gauss.storage.raft.rpc.PeerAppender} for
 * how entries travel.
 */
package io.gauss.storage.raft.rpc;
