/**
 * A model of what a cluster's transactions cost and how many it can do: operations with their
 * processor time as measured on one machine, and a closed queueing network for machines that one
 * does not have. Begin with {@link io.gauss.bench.model.ClusterModel}; docs/scaling.md says what is
 * assumed and how far it can be trusted.
 */
package io.gauss.bench.model;
