/**
 * Rows with versions: combines trees, undo and transactions. SQL is above, pages are below. Begin
 * with {@link io.gauss.compute.store.VersionedTree} and {@link io.gauss.compute.store.Store}.
 */
package io.gauss.compute.store;
