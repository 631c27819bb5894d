package io.gauss.storage.wire;

import io.gauss.common.transport.MessageType;

/** Types of messages that storage nodes serve; the numbers are the format. */
public final class StorageMessages {
  /** Pages at a floor: {@link PageReadLayout}. */
  public static final MessageType READ_PAGES = new MessageType(200, "storage.pages.read");

  /** Stream of the progress of a node's pages: {@link PagesProgressLayout}. */
  public static final MessageType WATCH_PAGES = new MessageType(201, "storage.pages.watch");

  /** Status of a storage node: {@link NodeStatusLayout}. */
  public static final MessageType NODE_STATUS = new MessageType(202, "storage.node.status");

  /** Requests about streams: {@code raft.stream.StreamCodec}. */
  public static final MessageType STREAM_APPEND = new MessageType(210, "storage.stream.append");

  public static final MessageType STREAM_ASK = new MessageType(211, "storage.stream.ask");
  public static final MessageType STREAM_SEAL = new MessageType(212, "storage.stream.seal");
  public static final MessageType STREAM_OPEN = new MessageType(213, "storage.stream.open");
  public static final MessageType STREAM_TRIM = new MessageType(214, "storage.stream.trim");
  public static final MessageType STREAM_READ = new MessageType(215, "storage.stream.read");
  public static final MessageType STREAM_LOCATE = new MessageType(216, "storage.stream.locate");
  public static final MessageType STREAM_ENTRY = new MessageType(217, "storage.stream.entry");

  public static final MessageType STREAM_SUBSCRIBE =
      new MessageType(218, "storage.stream.subscribe");
  public static final MessageType STREAM_RAISE = new MessageType(219, "storage.stream.raise");

  /** The data from which a replica is rebuilt, as a stream: {@link RebuildLayout}. */
  public static final MessageType REBUILD = new MessageType(220, "storage.rebuild");

  /** Status of a storage node's member of a group: {@link GroupLayout}. */
  public static final MessageType GROUP = new MessageType(221, "storage.group");

  public static final MessageType STREAM_UNSUBSCRIBE =
      new MessageType(222, "storage.stream.unsubscribe");

  /** Between members of Raft groups, at the port for Raft: {@code raft.rpc.RaftMessageLayout}. */
  public static final MessageType RAFT_APPEND = new MessageType(230, "storage.raft.append");

  /** One way, it tells what is committed, and has no answer. */
  public static final MessageType RAFT_HEARTBEATS = new MessageType(231, "storage.raft.heartbeats");

  public static final MessageType RAFT_VOTE = new MessageType(232, "storage.raft.vote");
  public static final MessageType RAFT_INSTALL = new MessageType(233, "storage.raft.install");
  public static final MessageType RAFT_STAND = new MessageType(234, "storage.raft.stand");
  public static final MessageType RAFT_READ = new MessageType(235, "storage.raft.read");

  private StorageMessages() {}
}
