/**
 * The cluster map on a storage node: a replica's service, and the duties of the leader. Begin with
 * {@link io.gauss.storage.map.service.ClusterMapService} and {@link
 * io.gauss.storage.map.service.LeaderDuties}.
 */
package io.gauss.storage.map.service;
