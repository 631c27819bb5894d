/**
 * Deadlocks: a pure detector ({@link io.gauss.common.deadlock.DeadlockTable}) over numbered waits,
 * so that out-of-date messages do no harm. There is one for the whole cluster; where it runs, and
 * how reports reach it, is defined elsewhere.
 */
package io.gauss.common.deadlock;
