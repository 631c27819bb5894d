/**
 * The storage nodes as their clients see them: a replicated stream, and pages from whichever node
 * answers. Begin with {@link io.gauss.storage.remote.RemoteStorage} and {@link
 * io.gauss.storage.remote.RemotePages}.
 */
package io.gauss.storage.remote;
