/**
 * How a machine becomes a node of a cluster: the cluster's own certificate authority, the tokens
 * that an operator carries from one machine to the other, and the conversation in which a token is
 * exchanged for a number, a certificate and the cluster's key. Begin with {@link
 * io.gauss.server.join.JoinServer} and {@link io.gauss.server.join.JoinClient}.
 */
package io.gauss.server.join;
