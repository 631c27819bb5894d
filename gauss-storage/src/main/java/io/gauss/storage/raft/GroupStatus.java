package io.gauss.storage.raft;

import java.util.OptionalInt;

/**
 * Status of this node's member of a group.
 *
 * @param group the group
 * @param alive false once the member has stopped because of a failure; the indexes are -1 then
 * @param leads whether this member leads and has committed something in its term
 * @param leader the leader, as far as this member knows
 * @param term Raft term
 * @param lastIndex index of the last entry in this member's log
 * @param flushedIndex up to here the log here survives power loss
 * @param committedIndex up to here entries are on a majority, as far as this member knows
 * @param appliedIndex up to here the state machine here has applied them
 */
public record GroupStatus(
    GroupId group,
    boolean alive,
    boolean leads,
    OptionalInt leader,
    long term,
    long lastIndex,
    long flushedIndex,
    long committedIndex,
    long appliedIndex) {}
