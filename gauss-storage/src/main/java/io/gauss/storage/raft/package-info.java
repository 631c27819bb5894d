/**
 * Raft groups on a storage node, by Apache Ratis.
 *
 * <p>{@link io.gauss.storage.raft.RaftHost} runs all groups of a process; what a group does is its
 * {@link org.apache.ratis.statemachine.StateMachine}'s business. Outside this package and those
 * below it nobody sees Ratis.
 */
package io.gauss.storage.raft;
