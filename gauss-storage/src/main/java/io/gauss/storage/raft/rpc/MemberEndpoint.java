package io.gauss.storage.raft.rpc;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.Request;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what other members send.
 *
 * <p>Threads: entries and heartbeats of the leader that a member follows already are taken on the
 * connection's event loop, where they wait for no disk; what is forced answers from the thread that
 * Ratis has for that. All else (votes, the first message of a leader, states to fetch) may wait for
 * the disk, and runs on threads of its own, in order for each group. All connections share an event
 * loop, which calls the handlers.
 */
final class MemberEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(MemberEndpoint.class);

  /**
   * Entries of a group that may be on their way to the disk; half of what Ratis's queue takes,
   * where there are other tasks as well.
   */
  static final int MOST_QUEUED = 2048;

  private final RaftServer server;
  private final ByteBufAllocator allocator;
  private final ToIntFunction<RaftPeerId> numbers;
  private final GroupLines lines;

  /** Members that have started: to ask Ratis for one that has not would wait for it. */
  private final ConcurrentMap<ByteString, RaftServer.Division> started = new ConcurrentHashMap<>();

  /** The last heartbeat of each group that had to wait. */
  private final ConcurrentMap<ByteString, AppendEntriesRequestProto> waiting =
      new ConcurrentHashMap<>();

  /** What Ratis answers to one message; may throw, since it does. */
  @FunctionalInterface
  private interface Answer<M> {
    CompletableFuture<? extends MessageLite> to(M message) throws IOException;
  }

  /**
   * @param numbers of members as nodes of the transport
   * @param threads for what may wait for the disk
   */
  MemberEndpoint(
      RaftServer server,
      ByteBufAllocator allocator,
      ToIntFunction<RaftPeerId> numbers,
      Executor threads) {
    this.server = server;
    this.allocator = allocator;
    this.numbers = numbers;
    this.lines = new GroupLines(threads);
  }

  void register(Handlers handlers) {
    handlers.on(StorageMessages.RAFT_APPEND, this::append);
    handlers.on(StorageMessages.RAFT_HEARTBEATS, this::heartbeats);
    on(
        handlers,
        StorageMessages.RAFT_VOTE,
        RequestVoteRequestProto.parser(),
        RequestVoteRequestProto::getServerRequest,
        vote -> done(server.requestVote(vote)));
    on(
        handlers,
        StorageMessages.RAFT_INSTALL,
        InstallSnapshotRequestProto.parser(),
        InstallSnapshotRequestProto::getServerRequest,
        lacks -> done(server.installSnapshot(lacks)));
    on(
        handlers,
        StorageMessages.RAFT_STAND,
        StartLeaderElectionRequestProto.parser(),
        StartLeaderElectionRequestProto::getServerRequest,
        order -> done(server.startLeaderElection(order)));
    on(
        handlers,
        StorageMessages.RAFT_READ,
        ReadIndexRequestProto.parser(),
        ReadIndexRequestProto::getServerRequest,
        server::readIndexAsync);
  }

  private static <T> CompletableFuture<T> done(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  /** Messages that may wait for the disk. */
  private <M> void on(
      Handlers handlers,
      MessageType type,
      Parser<M> parser,
      Function<M, RaftRpcRequestProto> header,
      Answer<M> answer) {
    handlers.on(
        type,
        request -> {
          M message = RaftMessageLayout.read(request.payload(), parser);
          requireSender(request, header.apply(message));
          run(
              header.apply(message).getRaftGroupId().getId(),
              request::isCancelled,
              () -> reply(request, ask(answer, message)));
        });
  }

  private void run(ByteString group, BooleanSupplier isVoid, Runnable task) {
    try {
      lines.run(group, isVoid, task);
    } catch (RejectedExecutionException e) {
      throw new GaussException(SqlState.CANNOT_CONNECT_NOW, "this node ends", e);
    }
  }

  /** Only a member itself speaks for it. */
  private void requireSender(Request request, RaftRpcRequestProto header) {
    RaftPeerId member = RaftPeerId.valueOf(header.getRequestorId());
    if (request.sender().role() != NodeRole.STORAGE
        || numbers.applyAsInt(member) != request.sender().node()) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION,
          "%s sends a message of member %s".formatted(request.sender(), member));
    }
  }

  private static <M> CompletableFuture<? extends MessageLite> ask(Answer<M> answer, M message) {
    try {
      return answer.to(message);
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void reply(Request request, CompletableFuture<? extends MessageLite> answer) {
    answer.whenComplete(
        (reply, failure) -> {
          if (failure == null) {
            request.reply(RaftMessageLayout.write(allocator, reply));
          } else {
            LOG.debug("{} is not answered", request.type(), failure);
            request.fail(SqlState.CANNOT_CONNECT_NOW, String.valueOf(cause(failure).getMessage()));
          }
        });
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void append(Request request) {
    AppendEntriesRequestProto entries =
        RaftMessageLayout.read(request.payload(), AppendEntriesRequestProto.parser());
    requireSender(request, entries.getServerRequest());
    CompletableFuture<? extends MessageLite> answer = takenNow(entries);
    if (answer != null) {
      reply(request, answer);
    } else {
      ByteString group = group(entries);
      run(
          group,
          request::isCancelled,
          () -> {
            noteStarted(group);
            reply(request, ask(server::appendEntriesAsync, entries));
          });
    }
  }

  /**
   * Takes a message of the leader that the group's member here follows in its term.
   *
   * <p>A member that becomes a candidate between the look and the message would first end its
   * election for it, and wait for that: here, where the answers arrive that would end it. A member
   * changes its role under its monitor only, so that is held. Whoever judges other messages of the
   * group takes it last, and so would wait for this; there is nobody while the line is idle.
   *
   * @return null when the message may have to wait for the disk
   */
  private CompletableFuture<? extends MessageLite> takenNow(AppendEntriesRequestProto message) {
    RaftServer.Division member = started.get(group(message));
    if (member == null || !lines.isIdle(group(message)) || !isFollowed(member, message)) {
      return null; // who begins to lead, or stands for election, waits for the disk meanwhile
    }
    if (message.getEntriesCount() > 0 && !hasRoom(member.getRaftLog(), message)) {
      return null;
    }
    synchronized (member) {
      return isFollowed(member, message) ? ask(server::appendEntriesAsync, message) : null;
    }
  }

  /**
   * Whether the queue for the disk takes the entries at once. Of a follower that is far behind a
   * request may have more small entries than the queue takes in all: whoever adds them waits until
   * the disk has taken the first ones, with many forces in between.
   */
  private static boolean hasRoom(RaftLog log, AppendEntriesRequestProto message) {
    long queued = log.getNextIndex() - 1 - log.getFlushIndex();
    return queued + message.getEntriesCount() <= MOST_QUEUED;
  }

  private static ByteString group(AppendEntriesRequestProto entries) {
    return entries.getServerRequest().getRaftGroupId().getId();
  }

  /**
   * Whether a member follows the sender in its term, so that its messages neither change its role
   * nor write a vote.
   */
  private boolean isFollowed(RaftServer.Division member, AppendEntriesRequestProto entries) {
    DivisionInfo now = member.getInfo();
    if (!now.isAlive()) {
      started.remove(group(entries), member);
      return false;
    }
    RaftPeerId leader = now.getLeaderId();
    return now.isFollower()
        && now.getCurrentTerm() == entries.getLeaderTerm()
        && leader != null
        && leader.toByteString().equals(entries.getServerRequest().getRequestorId());
  }

  /** Notes a member that has started. May wait for it. */
  private void noteStarted(ByteString group) {
    if (!started.containsKey(group)) {
      try {
        started.put(group, server.getDivision(RaftGroupId.valueOf(group)));
      } catch (IOException e) {
        LOG.debug("there is no member of {} here", group, e);
      }
    }
  }

  /** The group has no member here any more: what was its member is not kept. */
  void removed(RaftGroupId group) {
    started.remove(group.toByteString());
    waiting.remove(group.toByteString());
  }

  /**
   * Groups that may wait for the disk have no part in the answer: the others' leaders must not wait
   * with them.
   */
  private void heartbeats(Request request) {
    List<AppendEntriesRequestProto> all =
        RaftMessageLayout.readAll(request.payload(), AppendEntriesRequestProto.parser());
    Heard heard = new Heard(request, all.size());
    for (int i = 0; i < all.size(); i++) {
      AppendEntriesRequestProto one = all.get(i);
      int part = i;
      requireSender(request, one.getServerRequest());
      CompletableFuture<? extends MessageLite> answer = takenNow(one);
      if (answer != null) {
        heard.of(part, answer);
      } else {
        heard.nothingOf();
        ByteString group = group(one);
        waiting.put(group, one);
        run(
            group,
            () -> waiting.get(group) != one, // a later one says as much
            () -> {
              noteStarted(group);
              ask(server::appendEntriesAsync, one);
            });
      }
    }
  }

  /** The answer to a message with heartbeats. */
  private final class Heard {
    private final Request request;
    private final AppendEntriesReplyProto[] parts;
    private final AtomicInteger open;

    Heard(Request request, int count) {
      this.request = request;
      this.parts = new AppendEntriesReplyProto[count];
      this.open = new AtomicInteger(count);
      if (count == 0) {
        request.reply(RaftMessageLayout.write(allocator, List.of()));
      }
    }

    void of(int part, CompletableFuture<? extends MessageLite> answer) {
      answer.whenComplete(
          (reply, failure) -> {
            if (failure == null) {
              parts[part] = (AppendEntriesReplyProto) reply;
            }
            nothingOf();
          });
    }

    void nothingOf() {
      if (open.decrementAndGet() == 0 && !request.oneWay()) {
        request.reply(RaftMessageLayout.writeParts(allocator, parts));
      }
    }
  }
}
