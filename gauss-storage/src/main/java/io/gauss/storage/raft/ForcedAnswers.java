package io.gauss.storage.raft;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.task.Later;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member answers to the other members of its groups, and when: never more than is on its
 * disk (rule 37). Ratis 3.3.0 by itself answers too early, or too much, in these cases:
 *
 * <ol>
 *   <li>An entry that the log has already, in memory, is acknowledged at once when it comes again,
 *       after a broken connection or from the next leader; its force may still be under way, or
 *       fail. The same holds for entries that take the place of others which had been forced. Here
 *       the answer waits until the log is forced up to the last entry that it acknowledges.
 *   <li>A request is checked under the member's lock, and its entries are appended after the lock
 *       is released. A request of a leader that has been replaced, held up in between, would take
 *       back entries of the new leader that have been acknowledged. Here the requests to a group
 *       are taken one by one.
 *   <li>A vote is forced, but not the directory in which its file took the place of the one before.
 *       A member that lost power could vote twice in a term. Here the directory is forced before
 *       the vote is given.
 * </ol>
 *
 * <p>Thread-safe. Blocks the caller for the disk only where Ratis itself does, and for a vote.
 */
final class ForcedAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(ForcedAnswers.class);
  private static final long LOOK_MILLIS = 1;

  private final ScheduledExecutorService timer;
  private final Duration limit;
  private final ConcurrentMap<RaftGroupId, Object> turns = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * @param timer for answers that wait
   * @param limit after this long an answer that waits becomes an error; the leader sends again
   */
  ForcedAnswers(ScheduledExecutorService timer, Duration limit) {
    this.timer = timer;
    this.limit = limit;
  }

  /** Answers a leader's request. */
  CompletableFuture<AppendEntriesReplyProto> append(
      RaftServer server, AppendEntriesRequestProto request) throws IOException {
    RaftGroupId group = group(request.getServerRequest());
    CompletableFuture<AppendEntriesReplyProto> answer;
    synchronized (turns.computeIfAbsent(group, g -> new Object())) {
      answer = server.appendEntriesAsync(request);
    }
    if (request.getEntriesCount() == 0) {
      return answer; // acknowledges nothing
    }
    LongSupplier flushed = server.getDivision(group).getRaftLog()::getFlushIndex;
    return answer.thenCompose(reply -> onceForced(flushed, reply));
  }

  /**
   * The reply to a request with entries, once its promise is kept; fails after the limit.
   *
   * @param flushed index through which the log is forced now
   */
  CompletableFuture<AppendEntriesReplyProto> onceForced(
      LongSupplier flushed, AppendEntriesReplyProto reply) {
    if (reply.getResult() != AppendResult.SUCCESS || flushed.getAsLong() >= reply.getMatchIndex()) {
      return CompletableFuture.completedFuture(reply);
    }
    CompletableFuture<AppendEntriesReplyProto> kept = new CompletableFuture<>();
    waiting.incrementAndGet();
    Later.failAfter(kept, limit.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((r, failure) -> waiting.decrementAndGet());
    look(flushed, reply, kept);
    return kept;
  }

  private void look(
      LongSupplier flushed,
      AppendEntriesReplyProto reply,
      CompletableFuture<AppendEntriesReplyProto> kept) {
    if (kept.isDone()) {
      LOG.warn("entries up to {} are not forced in time", reply.getMatchIndex());
    } else if (flushed.getAsLong() >= reply.getMatchIndex()) {
      kept.complete(reply);
    } else {
      timer.schedule(() -> look(flushed, reply, kept), LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Number of answers that wait for the disk. */
  int waiting() {
    return waiting.get();
  }

  /** Answers a candidate. */
  RequestVoteReplyProto vote(RaftServer server, RequestVoteRequestProto request)
      throws IOException {
    RequestVoteReplyProto reply = server.requestVote(request);
    if (reply.getServerReply().getSuccess() && !request.getPreVote()) {
      forceVote(server.getDivision(group(request.getServerRequest())));
    }
    return reply;
  }

  /**
   * Makes a member's term and vote durable. A candidate's vote for itself is made so before it
   * sends anything as the leader; until then nobody has seen anything of its term but its wish.
   */
  static void forceVote(RaftServer.Division division) throws IOException {
    GroupDirectories.forceUpwards(
        division.getRaftStorage().getStorageDir().getCurrentDir().toPath());
  }

  private static RaftGroupId group(RaftRpcRequestProto request) {
    ByteString id = request.getRaftGroupId().getId();
    Invariant.check(!id.isEmpty(), "a request without a group");
    return RaftGroupId.valueOf(id);
  }
}
