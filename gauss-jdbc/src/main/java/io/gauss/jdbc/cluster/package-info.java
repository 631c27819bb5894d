/**
 * The compute nodes that an application is connected to: which there are, how they are watched, the
 * physical connections to them and the figures of all that. Shared by all connections with the same
 * hosts and properties. Begin with {@link io.gauss.jdbc.cluster.Cluster} and {@link
 * io.gauss.jdbc.cluster.ClusterMonitor}.
 */
package io.gauss.jdbc.cluster;
