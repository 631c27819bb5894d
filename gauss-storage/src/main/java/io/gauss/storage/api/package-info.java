/**
 * The storage tier as its users see it: redo streams, pages made of redo, and where storage nodes
 * are. Begin with {@link io.gauss.storage.api.Storage}, {@link io.gauss.storage.api.LogStream} and
 * {@link io.gauss.storage.api.PageStore}.
 */
package io.gauss.storage.api;
