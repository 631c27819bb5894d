/**
 * Messages between the nodes of a cluster, by interfaces: what connections are made of is in the
 * packages below, and only those that assemble a node name them. Begin with {@link
 * io.gauss.common.transport.Transport} and {@link io.gauss.common.transport.MessageType}.
 */
package io.gauss.common.transport;
