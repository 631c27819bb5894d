/**
 * Chooses the compute node of a transaction. Connections ask a {@link
 * io.gauss.jdbc.routing.Router}; hints, pinning, failover and the choice of a node when the router
 * has none belong to the connections ({@code io.gauss.jdbc}).
 */
package io.gauss.jdbc.routing;
