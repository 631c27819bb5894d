/**
 * The clocks of a cluster's compute nodes: all other nodes are notified of commits while these are
 * being forced, and a node that has had no answers from others for a while takes no snapshots
 * (rules 4 to 6). {@link io.gauss.compute.cluster.clock.ClockView} decides, and is pure; {@link
 * io.gauss.compute.cluster.clock.CommitBroadcast} makes and receives the calls. Why it is correct:
 * docs/protocols/clocks.md.
 */
package io.gauss.compute.cluster.clock;
