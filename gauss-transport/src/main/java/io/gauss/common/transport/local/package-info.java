/**
 * The transport within one JVM: for a node whose tiers are in one process, and, with simulated time
 * and faults from the test fixtures, for tests. Buffers are handed over by reference.
 */
package io.gauss.common.transport.local;
