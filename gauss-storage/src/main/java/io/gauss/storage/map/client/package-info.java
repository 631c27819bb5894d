/**
 * The cluster map as nodes see it: the newest version, membership, and the lease. Begin with {@link
 * io.gauss.storage.map.client.ClusterMapClient} and {@link
 * io.gauss.storage.map.client.ClusterMember}.
 */
package io.gauss.storage.map.client;
