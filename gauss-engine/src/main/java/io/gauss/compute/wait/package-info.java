/**
 * Waiting of sessions: for what, for how long, and how a wait is interrupted; and the statistics of
 * pages and waits that users see. Begin with {@link io.gauss.compute.wait.Parking}, {@link
 * io.gauss.compute.wait.Interrupts} and {@link io.gauss.compute.wait.WaitCause}.
 */
package io.gauss.compute.wait;
