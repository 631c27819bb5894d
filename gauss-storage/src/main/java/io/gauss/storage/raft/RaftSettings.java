package io.gauss.storage.raft;

import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.PeerTls;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of a storage node's Raft server. Settings that would acknowledge before a force are not
 * included.
 *
 * @param node number of this storage node
 * @param host address to listen at; others reach this node at the address of its {@link
 *     GroupMember}, which may be a name or another address of the same machine
 * @param port port to listen at
 * @param directory for the groups' logs, with a directory for each
 * @param electionTimeoutMin a follower that hears nothing from its leader for this long (and up to
 *     {@code electionTimeoutMax}, at random) stands for election; heartbeats come at half of it
 * @param electionTimeoutMax see there
 * @param requestTimeout after this long without an answer a message to a member is repeated
 * @param segmentBytes size of a segment file of a log; also the unit in which a log is purged
 * @param preallocateBytes a segment grows in steps of this size, written and forced with the entry
 *     that needs the room
 * @param maxEntryBytes largest entry of a log, with all headers
 * @param cacheBytes entries of closed segments kept in memory per group
 * @param key by which members recognise each other
 * @param tls how members' messages are encrypted; null = they are not
 */
public record RaftSettings(
    int node,
    String host,
    int port,
    Path directory,
    Duration electionTimeoutMin,
    Duration electionTimeoutMax,
    Duration requestTimeout,
    int segmentBytes,
    int preallocateBytes,
    int maxEntryBytes,
    int cacheBytes,
    ClusterKey key,
    PeerTls tls) {

  private static final int MAX_ENTRY_BYTES = 4 << 20;
  private static final int MOST_SEGMENT_BYTES = 32 << 20;
  private static final int SEGMENTS_OF_HEAP = 128;

  /**
   * The size of segments for a heap. Ratis keeps the entries of an open segment in memory, and
   * looks for what it can evict only when that is full: with a cache of a segment's size up to
   * three segments of each group stay in memory, and more where other members lag. Eight streams
   * take a fifth of the heap, beside what the objects around their entries take.
   */
  static int segmentBytes(long heapBytes) {
    return (int) Math.clamp(heapBytes / SEGMENTS_OF_HEAP, 2L * MAX_ENTRY_BYTES, MOST_SEGMENT_BYTES);
  }

  public RaftSettings {
    if (electionTimeoutMin.compareTo(electionTimeoutMax) >= 0) {
      throw new IllegalArgumentException("the election time-out's range is empty");
    }
    if (maxEntryBytes >= segmentBytes) {
      throw new IllegalArgumentException("an entry must fit into a segment");
    }
  }

  /** The sizes of segments and caches are those for this process's heap. */
  public static RaftSettings of(int node, String host, int port, Path directory, ClusterKey key) {
    int segment = segmentBytes(Runtime.getRuntime().maxMemory());
    return new RaftSettings(
        node,
        host,
        port,
        directory,
        Duration.ofMillis(500),
        Duration.ofMillis(1000),
        Duration.ofSeconds(3),
        segment,
        4 << 20,
        MAX_ENTRY_BYTES,
        segment,
        key,
        null);
  }

  public RaftSettings withElectionTimeout(Duration min, Duration max) {
    return new RaftSettings(
        node,
        host,
        port,
        directory,
        min,
        max,
        requestTimeout,
        segmentBytes,
        preallocateBytes,
        maxEntryBytes,
        cacheBytes,
        key,
        tls);
  }

  public RaftSettings withSegments(int newSegmentBytes, int newPreallocateBytes, int newMaxEntry) {
    return new RaftSettings(
        node,
        host,
        port,
        directory,
        electionTimeoutMin,
        electionTimeoutMax,
        requestTimeout,
        newSegmentBytes,
        newPreallocateBytes,
        newMaxEntry,
        cacheBytes,
        key,
        tls);
  }

  public RaftSettings withCacheBytes(int newCacheBytes) {
    return new RaftSettings(
        node,
        host,
        port,
        directory,
        electionTimeoutMin,
        electionTimeoutMax,
        requestTimeout,
        segmentBytes,
        preallocateBytes,
        maxEntryBytes,
        newCacheBytes,
        key,
        tls);
  }

  public RaftSettings withTls(PeerTls newTls) {
    return new RaftSettings(
        node,
        host,
        port,
        directory,
        electionTimeoutMin,
        electionTimeoutMax,
        requestTimeout,
        segmentBytes,
        preallocateBytes,
        maxEntryBytes,
        cacheBytes,
        key,
        newTls);
  }

  public GroupMember member(int priority) {
    return new GroupMember(node, host, port, priority);
  }
}
