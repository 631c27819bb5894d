/**
 * Assembles a storage node: its Raft groups, page store, and the services that other nodes call.
 * Begin with {@link io.gauss.storage.node.StorageNode}.
 */
package io.gauss.storage.node;
