/**
 * B-link trees in a space: search, scan, split, unlink. Structure only; versions and transactions
 * are above. Begin with {@link io.gauss.compute.tree.BTree}.
 */
package io.gauss.compute.tree;
