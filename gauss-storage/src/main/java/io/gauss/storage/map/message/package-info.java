/**
 * Requests to the replicas of the cluster map, and their answers. Begin with {@link
 * io.gauss.storage.map.message.MapRequest}.
 */
package io.gauss.storage.map.message;
