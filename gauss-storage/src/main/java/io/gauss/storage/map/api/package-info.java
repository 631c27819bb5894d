/**
 * The cluster map and its parts, as immutable values. Begin with {@link
 * io.gauss.storage.map.api.ClusterMap} and {@link io.gauss.storage.map.api.MapNode}.
 */
package io.gauss.storage.map.api;
