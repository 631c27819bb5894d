package io.gauss.jdbc.routing;

import java.util.List;

/**
 * The first statement of a transaction that needs a node.
 *
 * @param sql text as the application gave it, with {@code ?} for parameters
 * @param parameters values as the application bound them, in order, null for NULL and for
 *     parameters that were not bound; empty for plain statements. Of a batch, the first set. Not to
 *     be changed, and not to be kept after the call: the list is reused
 * @param topology nodes, their states and loads
 * @param current the node that the connection used last, or null; it may be down by now
 */
public record RouteRequest(
    String sql, List<Object> parameters, Topology topology, ClusterNode current) {}
