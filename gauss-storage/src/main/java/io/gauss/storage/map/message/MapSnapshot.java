package io.gauss.storage.map.message;

import io.gauss.storage.map.api.ClusterMap;

/**
 * The map after an entry of its Raft log had been applied.
 *
 * @param term Raft term of the entry
 * @param index Raft index of the entry
 */
public record MapSnapshot(long term, long index, ClusterMap map) {}
