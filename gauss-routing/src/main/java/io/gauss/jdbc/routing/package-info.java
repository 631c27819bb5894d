/**
 * Which compute node a transaction runs on. {@link io.gauss.jdbc.routing.Router} is what the
 * connections ask; hints, pinning, failover and the choice of a node when the router has none are
 * theirs ({@code io.gauss.jdbc}).
 */
package io.gauss.jdbc.routing;
