package io.gauss.storage.local.log;

/**
 * Counters of a {@link LocalLogStream} since it was opened.
 *
 * @param appends batches written
 * @param appendedBytes payload bytes written
 * @param forces calls of force on segment files
 * @param forceNanos time spent in them
 * @param rollovers segments begun
 * @param rolloverWaitNanos time that appends waited because the next segment was not prepared yet
 * @param queued appends that now wait to be written
 * @param segments segment files that hold readable bytes
 */
public record LogStreamStats(
    long appends,
    long appendedBytes,
    long forces,
    long forceNanos,
    long rollovers,
    long rolloverWaitNanos,
    int queued,
    int segments) {}
