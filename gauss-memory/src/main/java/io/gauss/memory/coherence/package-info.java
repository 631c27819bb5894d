/**
 * The protocol by which compute nodes hold pages, as two pure transition functions: {@link
 * io.gauss.memory.coherence.DirectoryTable} for a page's home, {@link
 * io.gauss.memory.coherence.HolderTable} for a compute node. Both take a state and an event and
 * return the next state and the actions. They know no threads, bytes, clocks or connections, so the
 * exploration of all reachable states runs the production code.
 *
 * <p>A directory protocol in the manner of MOESI, after "GaussDB: A Cloud-Native Multi-Primary
 * Database with Compute-Memory-Storage Disaggregation" (VLDB 2024), sections 4.1 to 4.3.
 *
 * <p>Laws kept here: one owner (law 2: only the owner writes a page, while no other node may read
 * it) and log before leave (law 3: it leaves its owner only when its log is durable). What both
 * rely on: between any two nodes messages arrive once and in the order sent, page bytes included;
 * every message carries the sender's clock, read after the state has changed; messages of dead
 * epochs are dropped.
 */
package io.gauss.memory.coherence;
