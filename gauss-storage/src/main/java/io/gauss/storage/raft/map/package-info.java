/** The cluster map ({@link io.gauss.storage.map}) in a Raft group. */
package io.gauss.storage.raft.map;
