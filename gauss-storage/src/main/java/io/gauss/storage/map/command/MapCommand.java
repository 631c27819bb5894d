package io.gauss.storage.map.command;

import io.gauss.common.runtime.InOrder;
import io.gauss.storage.map.api.BucketSet;
import io.gauss.storage.map.api.ClusterSetting;
import io.gauss.storage.map.api.ClusterSettings;
import io.gauss.storage.map.api.Death;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.Role;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A change of the cluster map, proposed to its log. Every command may be repeated or arrive late:
 * its epochs and numbers cause out-of-date commands to be refused, and a command that was done
 * already is answered as done.
 *
 * <p>Who proposes which: <i>operator</i>, <i>node</i> itself under its epoch, or the <i>leader</i>
 * of the map's group. Except for {@link Suspend}, which ends nothing, no node proposes a change of
 * another one from its own view of that node.
 */
public sealed interface MapCommand {

  /** Operator: creates the cluster. The first command. */
  record InitCluster(UUID cluster, int formatVersion, ClusterSettings settings)
      implements MapCommand {}

  /** Operator: changes a cluster setting. */
  record ChangeSetting(ClusterSetting setting, int value) implements MapCommand {}

  /**
   * Node: begins to join, under a new epoch. Answered with {@link MapResult.Registered}, also when
   * it is repeated with the same incarnation.
   *
   * @param cluster the cluster that the node belongs to
   * @param node its number; 0 = to be assigned
   * @param follows epoch of the node's entry when it decided to join, 0 = there was none: so a late
   *     message does not replace a later process
   * @param incarnation drawn at random for this attempt to join; never 0
   * @param lowestFormat lowest format version that the node's build knows
   * @param highestFormat highest one
   */
  record Register(
      UUID cluster,
      int node,
      int follows,
      Set<Role> roles,
      String zone,
      List<Endpoint> endpoints,
      long incarnation,
      int lowestFormat,
      int highestFormat)
      implements MapCommand {
    public Register {
      roles = InOrder.copyOf(roles);
      endpoints = List.copyOf(endpoints);
    }
  }

  /**
   * Node: it now sends its broadcasts to the joining node too.
   *
   * @param clock its clock (LSN), read after it installed the joining node as receiver (rule 5)
   */
  record AcknowledgeJoin(int node, int epoch, int joiningEpoch, long clock) implements MapCommand {}

  /**
   * Node: it is ready to serve.
   *
   * @param clock its clock (LSN), raised to {@code ClusterMap.clockToServe}; ignored for nodes that
   *     do not compute
   */
  record FinishJoin(int node, int epoch, long clock) implements MapCommand {}

  /**
   * Node: it has joined, and its port for clients is open. Until it says so nobody is told to
   * connect to it.
   *
   * @param at where clients reach it, of purpose SQL
   */
  record OpenToClients(int node, int epoch, Endpoint at) implements MapCommand {}

  /** Nodes, gathered by the leader: renewals of leases. Answered with {@link MapResult.Renewed}. */
  record RenewLeases(List<Renewal> renewals) implements MapCommand {
    public RenewLeases {
      renewals = List.copyOf(renewals);
    }
  }

  /** One renewal; numbers begin with 1 in each epoch. */
  record Renewal(int node, int epoch, long number) {}

  /**
   * Leader: there was no sign of life since this renewal; the node is no longer UP, but still
   * alive.
   */
  record Suspect(int node, int epoch, long renewal) implements MapCommand {}

  /** Leader: the lease is no longer renewed, since other nodes cannot reach the node. */
  record Evict(int node, int epoch) implements MapCommand {}

  /**
   * Leader: the lease has surely ended.
   *
   * @param renewal the last one that the leader knew when it decided; after a later one this is
   *     refused
   */
  record ExpireLease(int node, int epoch, long renewal) implements MapCommand {}

  /** Leader: the process is proved to have ended (rule 9). */
  record DeclareExited(int node, int epoch, long incarnation) implements MapCommand {}

  /** Node: it has stopped serving for good and leaves. */
  record Leave(int node, int epoch) implements MapCommand {}

  /**
   * Node: another one does not answer it. Nodes that are not suspended themselves then continue
   * without that one once its clock lease has ended. Any compute node may propose this: the
   * suspended node loses nothing while it reaches all others.
   *
   * @param known number of the other's suspension as far as the node knows, 0 = none
   */
  record Suspend(int node, int epoch, int other, int otherEpoch, long known)
      implements MapCommand {}

  /**
   * Node: it has reached all other compute nodes since it was suspended.
   *
   * @param number of the suspension
   * @param newestEpoch of the nodes that it has reached
   */
  record Resume(int node, int epoch, long number, int newestEpoch) implements MapCommand {}

  /** Operator: the node gets no new work and is to leave. */
  record Drain(int node, int epoch) implements MapCommand {}

  /**
   * Operator: a node that only stores is lost for ever, or no longer needed. Refused while it is a
   * replica of a stream: {@link ChangeReplicas} comes first.
   */
  record RetireStorage(int node) implements MapCommand {}

  /** Operator: takes a dead, recovered node out of the cluster; its number is not used again. */
  record RemoveNode(int node) implements MapCommand {}

  /** Leader: a dead epoch's stream is sealed. The end offset and highest LSN never change. */
  record StreamSealed(int epoch, long end, long lastLsn) implements MapCommand {}

  /** Leader: everything of a sealed stream is applied everywhere and trimmed. */
  record ForgetStream(int epoch) implements MapCommand {}

  /** Operator or leader: moves the streams of a slot to other storage nodes. */
  record ChangeReplicas(int slot, List<Integer> replicas, int preferredLeader)
      implements MapCommand {
    public ChangeReplicas {
      replicas = List.copyOf(replicas);
    }
  }

  /**
   * Node: it has installed the death and dropped what came from the dead node; repeated, with a
   * higher clock, once the stream is sealed, if the clock was below its last LSN.
   *
   * @param clock its clock (LSN), read after that
   */
  record AcknowledgeDeath(int node, int epoch, int deadEpoch, long clock) implements MapCommand {}

  /**
   * Node: as the named recoverer it has raised its clock and folded the undo segments; pages may
   * go.
   *
   * @param clock its clock (LSN), at or above {@link Death#clock}
   */
  record TakeOver(int node, int epoch, int deadEpoch, long clock) implements MapCommand {}

  /** Node: as the recoverer it has rolled back the last unfinished transaction. */
  record FinishRecovery(int node, int epoch, int deadEpoch) implements MapCommand {}

  /**
   * Operator or leader: begins to move buckets to a node. Their homes give them up as soon as they
   * learn of this.
   *
   * <p>In this and the following commands each bucket is judged by itself: one for which the
   * command is out of date is skipped, the others change ({@link MapResult.AllBut}).
   */
  record MoveBuckets(int to, BucketSet buckets) implements MapCommand {}

  /**
   * Node: as the old home it no longer serves the buckets; the new homes may take them.
   *
   * @param known version of the map that the node had when it had given them up: moves that began
   *     later are not meant
   */
  record GiveBuckets(int node, int epoch, long known, BucketSet buckets) implements MapCommand {}

  /**
   * Node: as the new home it has the reports of the nodes for the buckets, and serves them.
   *
   * @param known version of the map that the node had then: moves that began later are not meant
   */
  record FinishBucketMoves(int node, int epoch, long known, BucketSet buckets)
      implements MapCommand {}

  /** Operator or leader: the buckets stay where they are now. */
  record CancelBucketMoves(BucketSet buckets) implements MapCommand {}

  /**
   * Leader: from now on the map lists which storage nodes keep which pages. Raises the cluster's
   * format version, so that a build that does not know slices can not join.
   *
   * @param nodes those that have all pages, which are the replicas of every slice at first
   */
  record ListSlices(List<Integer> nodes) implements MapCommand {
    public ListSlices {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Operator or leader: begins to move slices to a storage node. The version of the map that this
   * makes is their tenure there.
   *
   * <p>In this and the following commands each slice is judged by itself, as buckets are.
   *
   * @param from the replica that leaves once the slices are at {@code to}; 0 = none, for slices
   *     that have fewer replicas than they are to have
   */
  record MoveSlices(int from, int to, BucketSet slices) implements MapCommand {}

  /**
   * Node: it has pages and offsets of the slices durably, for every stream to which it has
   * subscribed (rule 45). Their moves end: the map has it as a replica, and the one that leaves no
   * more.
   *
   * @param since the tenure for which it has them: other moves of the slices are not meant
   */
  record FinishSliceMoves(int node, int epoch, long since, BucketSet slices)
      implements MapCommand {}

  /** Operator or leader: the slices' moves end, and the nodes that they were to come to are out. */
  record CancelSliceMoves(BucketSet slices) implements MapCommand {}

  /**
   * Operator or leader: a node counts no more as a replica of the slices, whatever it has. During a
   * move it is the one that leaves, and the one that was to leave stays.
   *
   * @param known version of the map by which this was decided: later tenures are not meant
   * @param remaining replicas that a slice must have afterwards, at least 1
   */
  record GiveUpReplicas(int node, long known, int remaining, BucketSet slices)
      implements MapCommand {}

  /** Node: it has reported to the new homes what it holds in the buckets of a rebuild. */
  record AcknowledgeRebuild(int node, int epoch, long rebuild) implements MapCommand {}
}
