package io.gauss.storage.raft.map;

import io.gauss.common.task.Later;
import io.gauss.storage.map.message.MapSnapshot;
import io.gauss.storage.map.service.ClusterMapState;
import io.gauss.storage.map.service.ReplicatedLog;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.Submitted;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster map's Raft group on a storage node. Thread-safe. Before {@link #attach}, and on a
 * node that is no member, it does not lead and accepts no commands.
 */
public final class ClusterMapGroup implements ReplicatedLog {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMapGroup.class);
  private static final GroupId GROUP = GroupId.clusterMap();

  private final ClusterMapState state;
  private final MapRebuild rebuild;
  private volatile GroupHost host;
  private volatile ClusterMapMachine machine;

  public ClusterMapGroup(ClusterMapState state, MapRebuild rebuild) {
    this.state = state;
    this.rebuild = rebuild;
  }

  /** Makes the group's replica on this node. */
  public ClusterMapMachine newReplica() {
    ClusterMapMachine made = new ClusterMapMachine(state, rebuild, this::forget);
    machine = made;
    return made;
  }

  /** From now on commands are accepted. */
  public void attach(GroupHost groupHost) {
    host = groupHost;
  }

  /** Makes this node a member of the group; to be called on every member, with the same list. */
  public void create(List<GroupMember> members) {
    host.addGroup(GROUP, members);
  }

  private void forget() {
    GroupHost to = host;
    if (to != null) {
      // Not on the applying thread, which takes the snapshot.
      CompletableFuture.runAsync(
              () ->
                  to.forget(GROUP)
                      .exceptionally(
                          failure -> {
                            LOG.warn("the log of the cluster map is not purged", failure);
                            return null;
                          }),
              Later.NOW)
          .exceptionally(
              failure -> {
                LOG.warn("the log of the cluster map is not purged", failure);
                return null;
              });
    }
  }

  private boolean isMember() {
    return host != null && machine != null;
  }

  @Override
  public CompletableFuture<Proposed> propose(byte[] command) {
    if (!isMember()) {
      return CompletableFuture.completedFuture(new Proposed.NotTaken("no member of the group"));
    }
    try {
      return host.submit(GROUP, command).thenApply(ClusterMapGroup::outcome);
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(new Proposed.Unknown(e));
    }
  }

  private static Proposed outcome(Submitted submitted) {
    return switch (submitted) {
      case Submitted.Applied a -> new Proposed.Applied(bytes(a.answer()));
      case Submitted.NotLeader n -> new Proposed.NotTaken("this node does not lead");
      case Submitted.Busy b -> new Proposed.NotTaken(b.reason());
      case Submitted.Unknown u -> new Proposed.Unknown(u.cause());
    };
  }

  private static byte[] bytes(ByteBuffer of) {
    byte[] bytes = new byte[of.remaining()];
    of.get(of.position(), bytes);
    return bytes;
  }

  @Override
  public boolean leads() {
    return isMember() && host.leads(GROUP);
  }

  @Override
  public boolean leadsMajority() {
    return isMember() && host.leadsMajority(GROUP);
  }

  @Override
  public OptionalInt leader() {
    return isMember() ? host.leader(GROUP) : OptionalInt.empty();
  }

  @Override
  public MapSnapshot snapshot() {
    ClusterMapMachine of = machine;
    return of == null ? new MapSnapshot(0, -1, state.map()) : of.position();
  }
}
