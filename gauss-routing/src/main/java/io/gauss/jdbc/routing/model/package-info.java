/**
 * The learned map from statements to page groups: features of a statement, the network over them,
 * the format in which both are published, and the engines that compute it. Drivers and the trainer
 * use the same classes. Nothing here knows of connections.
 *
 * <p>Start reading at {@link io.gauss.jdbc.routing.model.RoutingModel}.
 */
package io.gauss.jdbc.routing.model;
