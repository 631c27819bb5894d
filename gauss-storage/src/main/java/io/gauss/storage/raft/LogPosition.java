package io.gauss.storage.raft;

/** Position of an entry in a group's log. */
public record LogPosition(long term, long index) {}
