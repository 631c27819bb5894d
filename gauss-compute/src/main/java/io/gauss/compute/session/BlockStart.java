package io.gauss.compute.session;

/**
 * A transaction block in which nothing has run yet, on its way to another node.
 *
 * @param isolation in the form of setting transaction_isolation
 * @param beganMicros µs since 2000-01-01 UTC
 */
record BlockStart(String isolation, boolean isReadOnly, long beganMicros) {}
