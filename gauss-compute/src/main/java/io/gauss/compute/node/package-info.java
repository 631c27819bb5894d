/**
 * Assembles a compute node in phases, from its place in the cluster to the port for clients. Begin
 * with {@link io.gauss.compute.node.ComputeNode}, {@link io.gauss.compute.node.Foundations} and
 * {@link io.gauss.compute.node.Serving}.
 */
package io.gauss.compute.node;
