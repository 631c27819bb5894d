/**
 * The storage nodes from the view of their clients: a replicated stream, and pages from any node
 * that answers. Begin with {@link io.gauss.storage.remote.RemoteStorage} and {@link
 * io.gauss.storage.remote.RemotePages}.
 */
package io.gauss.storage.remote;
