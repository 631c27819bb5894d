/**
 * Deadlocks: a pure detector ({@link io.gauss.common.deadlock.DeadlockTable}) over waits that are
 * numbered, so that what is out of date can do no harm. There is one for the whole cluster; who
 * runs it, and how reports reach it, is not known here.
 */
package io.gauss.common.deadlock;
