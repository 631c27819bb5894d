package io.gauss.storage.raft;

import io.gauss.common.health.Problem;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * A storage node's members of all its groups. Groups are added at run time and found again at
 * start.
 *
 * <p>Commands go directly to the member on this node; the caller has to find the node whose member
 * leads. The result of a command is {@link Submitted.Applied} only when it is forced on a majority
 * of the members and applied here.
 *
 * <p>Thread-safe. Futures complete on threads of the host, which must not be blocked. Methods about
 * a group fail with IO_ERROR when this node is not a member of it.
 */
public interface GroupHost extends AutoCloseable {
  /** Number of the storage node. */
  int node();

  // ---- groups

  /**
   * Makes this node a member of a group; no effect when it is one already. Every member of a new
   * group is given the same list, on its own node. A node that is to join an existing group is
   * given an empty list, and learns the members from the leader after {@link #changeMembers}.
   */
  void addGroup(GroupId group, List<GroupMember> members);

  /**
   * Whether this node was a member of the group and no longer is. It may have voted and forgotten
   * the vote, so it must not take part in creating the group again.
   */
  boolean hasLeft(GroupId group);

  /** Ends this node's membership, and moves its log aside. */
  void removeGroup(GroupId group);

  /** Groups of which this node is a member. */
  List<GroupId> groups();

  /**
   * Replaces the members of a group, or changes their priorities. On the leader only. New members
   * must have been added on their nodes before. Waits until the change is committed.
   */
  void setMembers(GroupId group, List<GroupMember> members);

  /**
   * The same without waiting. Completes when the change is committed, which is after new members
   * have caught up; fails when one of them does not answer, or leadership is lost.
   */
  CompletableFuture<Void> changeMembers(GroupId group, List<GroupMember> members);

  /**
   * Gives the lead of a group to a member with the highest priority. On the leader only; commands
   * are not accepted while that member catches up. Completes when it leads, and fails when it does
   * not within the time.
   */
  CompletableFuture<Void> giveLead(GroupId group, int to, Duration time);

  /** Whether the result of {@link #members} is committed, with no change under way. */
  boolean areMembersSettled(GroupId group);

  /** Members of a group as this node's member knows them. */
  List<GroupMember> members(GroupId group);

  /**
   * Has the replica of this node's member take a snapshot, and purges the member's log up to it.
   * Completes when the replica has answered.
   */
  CompletableFuture<Void> forget(GroupId group);

  // ---- commands and questions

  /**
   * Submits a command to this node's member. The bytes must not change until the future completes.
   * It never completes exceptionally.
   */
  CompletableFuture<Submitted> submit(GroupId group, byte[] command);

  /**
   * Queries the replica, after everything that was committed before the query is applied. Answered
   * by the leader only.
   */
  CompletableFuture<Submitted> query(GroupId group, byte[] question);

  // ---- how it stands

  /** Whether this node's member leads and may answer. */
  boolean leads(GroupId group);

  /**
   * Whether it leads, and a majority has answered it within the longest election timeout. A leader
   * of which {@link #leads} is true need not have noticed that nobody answers any more: while
   * commands keep coming it does not look, and none of them is committed.
   */
  boolean leadsMajority(GroupId group);

  /** The leader, as far as this node's member knows. */
  OptionalInt leader(GroupId group);

  GroupStatus status(GroupId group);

  /** The log of this node's member. */
  GroupLog log(GroupId group);

  /** Why logs of this node's members accept no more entries; empty when all do. */
  List<Throwable> logFailures();

  /**
   * Groups whose member here has ended by itself, after an error in one of its threads: it takes
   * part in nothing any more until a new process opens its log, or seeks votes no more although the
   * group needs a leader.
   */
  List<GroupId> ended();

  /** How much there was to do since the start. */
  RaftCounts counts();

  /** The problems that keep members on this node from working. */
  List<Problem> problems();

  @Override
  void close();
}
