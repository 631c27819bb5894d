/**
 * The clocks of a cluster's compute nodes: commits are told to all others while they are being
 * forced, and no node takes snapshots that others have not answered for a while (rules 4 to 6).
 * {@link io.gauss.compute.cluster.clock.ClockView} decides, and is pure; {@link
 * io.gauss.compute.cluster.clock.CommitBroadcast} calls and is called. Why it is right:
 * docs/protocols/clocks.md.
 */
package io.gauss.compute.cluster.clock;
