/** Table locks of several compute nodes: between this node's locks and their homes. */
package io.gauss.compute.cluster.lock;
