package io.gauss.storage.raft;

import java.util.Optional;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Identifies a Raft group: its kind and its number within the kind.
 *
 * <p>The group's UUID in Ratis, which is also the name of its directory, is derived from these two
 * alone. So "the group of stream 3" is the same group on every node, and a starting node can
 * identify the groups of the directories that it finds.
 *
 * @param kind purpose of the group
 * @param number the stream's number; 0 for the cluster map
 */
public record GroupId(Kind kind, int number) {
  /** "GAUSSRFT". */
  private static final long NAMESPACE = 0x4741555353524654L;

  /** The purpose of a group. The codes are part of the format of a storage node's directory. */
  public enum Kind {
    STREAM(1),
    CLUSTER_MAP(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Optional<Kind> ofCode(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }

  public GroupId {
    if (number < 0) {
      throw new IllegalArgumentException("group number " + number);
    }
  }

  /** The group that holds a compute node's log stream. */
  public static GroupId stream(int streamId) {
    return new GroupId(Kind.STREAM, streamId);
  }

  /** The group that holds the cluster map. */
  public static GroupId clusterMap() {
    return new GroupId(Kind.CLUSTER_MAP, 0);
  }

  /** Not that of the enum, which differs from process to process. */
  @Override
  public int hashCode() {
    return 31 * kind.ordinal() + Integer.hashCode(number);
  }

  public UUID uuid() {
    return new UUID(NAMESPACE, ((long) kind.code << 32) | number);
  }

  RaftGroupId ratis() {
    return RaftGroupId.valueOf(uuid());
  }

  /** The group of a UUID; empty when the UUID is not one of ours. */
  public static Optional<GroupId> of(UUID uuid) {
    long low = uuid.getLeastSignificantBits();
    int number = (int) low;
    if (uuid.getMostSignificantBits() != NAMESPACE || number < 0) {
      return Optional.empty();
    }
    return Kind.ofCode((int) (low >>> 32)).map(kind -> new GroupId(kind, number));
  }

  @Override
  public String toString() {
    return kind == Kind.STREAM ? "stream " + number : "cluster map";
  }
}
