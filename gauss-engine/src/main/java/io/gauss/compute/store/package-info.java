/**
 * Rows with versions: trees, undo and transactions combined. SQL is above, pages are below. Begin
 * with {@link io.gauss.compute.store.VersionedTree} and {@link io.gauss.compute.store.Store}.
 */
package io.gauss.compute.store;
