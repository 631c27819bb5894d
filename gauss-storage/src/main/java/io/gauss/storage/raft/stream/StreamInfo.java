package io.gauss.storage.raft.stream;

/**
 * A stream at one point of its group's log.
 *
 * @param start lowest offset that every replica keeps
 * @param end offset after the last byte; all of it is durable
 * @param lastLsn highest LSN, 0 when nothing was ever appended
 * @param epoch writers below it are fenced
 */
public record StreamInfo(long start, long end, long lastLsn, int epoch) {}
