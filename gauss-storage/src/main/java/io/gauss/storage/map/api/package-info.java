/**
 * The cluster map and what it is made of, as immutable values. Begin with {@link
 * io.gauss.storage.map.api.ClusterMap} and {@link io.gauss.storage.map.api.MapNode}.
 */
package io.gauss.storage.map.api;
