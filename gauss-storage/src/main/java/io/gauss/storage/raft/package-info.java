/**
 * Raft groups on a storage node, by Apache Ratis.
 *
 * <p>{@link io.gauss.storage.raft.RaftHost} runs all groups of a process; a group's function is
 * defined by its {@link org.apache.ratis.statemachine.StateMachine}. Ratis is not visible outside
 * this package and its subpackages.
 */
package io.gauss.storage.raft;
