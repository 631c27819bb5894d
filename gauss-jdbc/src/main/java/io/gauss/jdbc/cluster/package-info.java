/**
 * The compute nodes to which an application is connected: their list, their monitoring, the
 * physical connections to them and the statistics. Shared by all connections with the same hosts
 * and properties. Begin with {@link io.gauss.jdbc.cluster.Cluster} and {@link
 * io.gauss.jdbc.cluster.ClusterMonitor}.
 */
package io.gauss.jdbc.cluster;
