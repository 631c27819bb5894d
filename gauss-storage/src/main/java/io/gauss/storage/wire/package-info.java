/**
 * Messages that storage nodes serve, except those of the cluster map and of streams. Begin with
 * {@link io.gauss.storage.wire.StorageMessages}.
 */
package io.gauss.storage.wire;
