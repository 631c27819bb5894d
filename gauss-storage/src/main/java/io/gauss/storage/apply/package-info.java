/**
 * Follows streams: feeds durable redo to a page store and makes its checkpoints. Begin with {@link
 * io.gauss.storage.apply.StreamFollower} and {@link io.gauss.storage.apply.Checkpointer}.
 */
package io.gauss.storage.apply;
