/**
 * Interfaces for messages between the nodes of a cluster. The implementations of connections are in
 * the subpackages, and only code that assembles a node refers to them. Begin with {@link
 * io.gauss.common.transport.Transport} and {@link io.gauss.common.transport.MessageType}.
 */
package io.gauss.common.transport;
