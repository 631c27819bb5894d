package io.gauss.storage.raft;

import io.gauss.common.invariant.Invariant;
import io.gauss.common.task.Later;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
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
 *   <li>The index through which the log is forced falls only when the disk takes back the entries
 *       that are to be replaced, not when they are replaced in memory. Until then it says of the
 *       new entries what was true of the old ones. Here answers wait for the request that replaced
 *       entries, and so does a new leader, which would count itself by that index.
 *   <li>After a write has failed, requests that lie wholly below it are reported as written. Here a
 *       member whose log has failed acknowledges nothing any more.
 *   <li>A request is checked under the member's lock, and its entries are appended after the lock
 *       is released. A request of a leader that has been replaced, held up in between, would take
 *       back entries of the new leader that have been acknowledged; and it would be acknowledged
 *       although this member has given its vote meanwhile to a candidate that lacks its entries.
 *       Here a group's requests, votes, orders to stand for election and to begin the log anew are
 *       taken one by one.
 *   <li>A vote is forced, but not the directory in which its file took the place of the one before.
 *       A member that lost power could vote twice in a term. Here the directory is forced before
 *       the vote is given.
 *   <li>A vote that cannot be written, since the disk is full, is not given, but an empty file
 *       takes the place of the one before. Here no vote is given before a second copy of it is
 *       durable ({@link MetadataCopies}).
 * </ol>
 *
 * <p>Thread-safe. Blocks the caller for the disk only where Ratis itself does, for a vote, and
 * before it leads.
 */
final class ForcedAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(ForcedAnswers.class);
  private static final long LOOK_MILLIS = 1;

  /** What is known of a member's log beside Ratis. Thread-safe. */
  interface LogState {
    /** Why the log accepts no more entries; null while it does. */
    Throwable logFailure();

    /** How often the log has been begun anew behind a state that was fetched. */
    int restarts();
  }

  /** A group's requests in order: each holds its monitor. */
  private static final class Turn {
    private final Object own = new Object();

    /** Held while the vote is copied. A new leader must not wait for its turn. */
    private final Object vote = new Object();

    /**
     * Completes when no entry that was replaced in memory counts as forced any more; exceptionally
     * when that cannot be known.
     */
    private CompletableFuture<?> replaced = CompletableFuture.completedFuture(null);

    /** {@link LogState#restarts} then; what was queued for the disk before has been dropped. */
    private int restarts;

    /**
     * Also for a new leader, which must not wait for its turn: the request whose turn it is may
     * wait for the member's lock, which the new leader holds.
     */
    CompletableFuture<?> replaced(LogState log) {
      synchronized (own) {
        if (log != null && log.restarts() != restarts) {
          restarts = log.restarts();
          replaced = CompletableFuture.completedFuture(null);
        }
        return replaced;
      }
    }

    void replacing(CompletableFuture<?> until) {
      synchronized (own) {
        replaced = until;
      }
    }
  }

  private final ScheduledExecutorService timer;
  private final Duration limit;
  private final Function<RaftGroupId, LogState> logs;
  private final ConcurrentMap<RaftGroupId, Turn> turns = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * @param timer for answers that wait
   * @param limit after this long an answer that waits becomes an error; the leader sends again
   * @param logs the log of this node's member of a group; null when there is none
   */
  ForcedAnswers(
      ScheduledExecutorService timer, Duration limit, Function<RaftGroupId, LogState> logs) {
    this.timer = timer;
    this.limit = limit;
    this.logs = logs;
  }

  /** Answers a leader's request. */
  CompletableFuture<AppendEntriesReplyProto> append(
      RaftServer server, AppendEntriesRequestProto request) throws IOException {
    RaftGroupId group = group(request.getServerRequest());
    Turn turn = turn(group);
    if (request.getEntriesCount() == 0) {
      synchronized (turn) {
        return server.appendEntriesAsync(request); // acknowledges nothing
      }
    }
    CompletableFuture<AppendEntriesReplyProto> answer;
    CompletableFuture<?> replaced;
    LongSupplier flushed;
    synchronized (turn) {
      requireIntact(group);
      RaftLog log = log(server, group);
      flushed = log::getFlushIndex;
      TermIndex replaceable = replaceable(log, request);
      replaced = turn.replaced(logs.apply(group));
      answer = server.appendEntriesAsync(request);
      if (replaceable != null && !replaceable.equals(log.getTermIndex(replaceable.getIndex()))) {
        replaced = CompletableFuture.allOf(replaced, answer);
        turn.replacing(replaced);
      }
    }
    CompletableFuture<?> before = replaced;
    return answer
        .thenCompose(reply -> inTime(before).thenCompose(done -> onceForced(flushed, reply)))
        .thenApply(reply -> stillIntact(group, reply));
  }

  private Turn turn(RaftGroupId group) {
    return turns.computeIfAbsent(group, g -> new Turn());
  }

  /** The log of a member that may not have started yet. */
  private static RaftLog log(RaftServer server, RaftGroupId group) throws IOException {
    try {
      return server.getDivision(group).getRaftLog();
    } catch (IllegalStateException e) {
      throw new IOException("the log of " + group + " is not open", e);
    }
  }

  /** The first entry of the log that a request replaces when it is taken; null for none. */
  private static TermIndex replaceable(RaftLog log, AppendEntriesRequestProto request) {
    long next = log.getNextIndex();
    for (LogEntryProto entry : request.getEntriesList()) {
      if (entry.getIndex() >= next) {
        return null;
      }
      TermIndex there = log.getTermIndex(entry.getIndex());
      if (there != null && there.getTerm() != entry.getTerm()) {
        return there;
      }
    }
    return null;
  }

  /** A stage of its own, since a limit on the future itself would end it for all. */
  private CompletableFuture<?> inTime(CompletableFuture<?> replaced) {
    return replaced.isDone()
        ? replaced
        : Later.failAfter(
            replaced.thenApply(done -> done), limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void requireIntact(RaftGroupId group) throws IOException {
    LogState log = logs.apply(group);
    Throwable failure = log == null ? null : log.logFailure();
    if (failure != null) {
      throw new IOException("the log of " + group + " cannot be written", failure);
    }
  }

  private AppendEntriesReplyProto stillIntact(RaftGroupId group, AppendEntriesReplyProto reply) {
    try {
      requireIntact(group);
      return reply;
    } catch (IOException e) {
      throw new CompletionException(e);
    }
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
    // the stage behind the count: whoever has the answer finds that it no longer waits
    CompletableFuture<AppendEntriesReplyProto> counted =
        Later.failAfter(kept, limit.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((r, failure) -> waiting.decrementAndGet());
    look(flushed, reply, kept);
    return counted;
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
    if (request.getPreVote()) {
      return server.requestVote(request); // gives nothing
    }
    RaftGroupId group = group(request.getServerRequest());
    RequestVoteReplyProto reply;
    synchronized (turn(group)) {
      reply = server.requestVote(request);
    }
    if (reply.getServerReply().getSuccess()) {
      forceVote(server.getDivision(group));
    }
    return reply;
  }

  /**
   * Has this member fetch the state that its log lacks, or begin its log anew behind it. Ratis
   * drops what is queued for the disk then, and sets the index through which the log is forced: no
   * request may be between its check and its entries.
   */
  InstallSnapshotReplyProto install(RaftServer server, InstallSnapshotRequestProto request)
      throws IOException {
    synchronized (turn(group(request.getServerRequest()))) {
      return server.installSnapshot(request);
    }
  }

  /** Has this member stand for election. */
  StartLeaderElectionReplyProto stand(RaftServer server, StartLeaderElectionRequestProto request)
      throws IOException {
    synchronized (turn(group(request.getServerRequest()))) {
      return server.startLeaderElection(request);
    }
  }

  /**
   * To be called before a new leader sends anything: its vote is durable, and what it counts as
   * forced here is. Waits for the disk, however long it takes: after a failure Ratis has a leader
   * that does nothing, and that stands for no further election.
   *
   * @throws IOException when the log has failed, or the member is being closed
   */
  void beforeLeading(RaftServer.Division division) throws IOException {
    forceVote(division);
    RaftGroupId group = division.getMemberId().getGroupId();
    Turn turn = turn(group);
    boolean isOff = false;
    while (!isOff) {
      requireIntact(group);
      isOff = isOff(turn.replaced(logs.apply(group)), division);
    }
    requireIntact(group);
  }

  /** Whether what was replaced is off the disk; waits for it for a while. */
  private boolean isOff(CompletableFuture<?> replaced, RaftServer.Division division)
      throws IOException {
    try {
      replaced.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      LOG.warn("{} cannot lead yet: its disk has not taken entries back", division.getMemberId());
      LOG.debug("it is waited for", e);
      return false;
    } catch (ExecutionException e) {
      throw new IOException("entries that were replaced are not off the disk", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted before " + division.getMemberId() + " leads");
    }
  }

  /** This node is no member of the group any more; it may become one again. */
  void removed(RaftGroupId group) {
    turns.remove(group);
  }

  /**
   * Makes a member's term and vote durable, and the copy of both. A candidate's vote for itself is
   * made so before it sends anything as the leader; until then nobody has seen anything of its term
   * but its wish.
   */
  private void forceVote(RaftServer.Division division) throws IOException {
    Path current = division.getRaftStorage().getStorageDir().getCurrentDir().toPath();
    synchronized (turn(division.getMemberId().getGroupId()).vote) {
      MetadataCopies.keepVote(current);
    }
    GroupDirectories.forceUpwards(current);
  }

  private static RaftGroupId group(RaftRpcRequestProto request) {
    ByteString id = request.getRaftGroupId().getId();
    Invariant.check(!id.isEmpty(), "a request without a group");
    return RaftGroupId.valueOf(id);
  }
}
