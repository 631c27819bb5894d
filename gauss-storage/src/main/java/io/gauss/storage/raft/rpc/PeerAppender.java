package io.gauss.storage.raft.rpc;

import io.gauss.common.runtime.Environment;
import io.gauss.common.task.Later;
import io.gauss.common.transport.Peer;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.Timestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a group's log to one of its followers.
 *
 * <p>States: <i>probing</i> sends one request at a time and moves on only when the follower has
 * acknowledged it; <i>streaming</i> sends further requests while others are under way. A request
 * that fails, is lost with its connection, or does not fit the follower's log, makes it probe
 * again, from where the follower's log is known to match.
 *
 * <p>Threads: while it streams and the follower is near, whoever brings news (an entry, a commit,
 * an answer) sends, and no thread is woken for it. All else is done by this appender's own thread,
 * which sleeps meanwhile: probing, followers that are behind, whose entries may have to be read
 * from the disk, and followers that have to fetch a state. Ratis's own rules about what may be sent
 * and what an answer means are not repeated here: requests are made by {@link LogAppenderBase}, and
 * followers acknowledge nothing that does not follow what they have.
 *
 * <p>The lock orders what is sent: a request is handed to the connection before the next one is
 * made. Nothing of Ratis that takes a lock of the member is called under it.
 */
final class PeerAppender extends LogAppenderBase {
  private static final Logger LOG = LoggerFactory.getLogger(PeerAppender.class);

  /** More entries gather for the next request while so many are under way. */
  private static final int WINDOW = 8;

  private static final long WINDOW_BYTES = 4 << 20;

  /** A follower that is as near as that needs nothing that is not in memory. */
  private static final long NEAR_ENTRIES = 256;

  private static final int SHORT_PAUSES = 10;

  /** A member that has just been started takes nothing for a while. */
  private static final int LASTING = 50;

  private static final long SHORT_PAUSE_NANOS = 1_000_000;
  private static final long PAUSE_NANOS = 100_000_000;
  private static final long FETCH_PAUSE_NANOS = 50_000_000;
  private static final long IDLE_NANOS = 5_000_000_000L;

  /**
   * What appenders share.
   *
   * @param calls numbers requests, of all groups
   */
  record Wires(
      RaftLinks links,
      ByteBufAllocator allocator,
      Heartbeats heartbeats,
      CommitNews news,
      AtomicLong calls,
      long requestNanos) {}

  /** A request under way. */
  private record Sent(long call, TermIndex previous, long first, int bytes, Timestamp at) {}

  private final Wires wires;

  /** Bytes under way to the follower's node, of all groups. */
  private final AtomicLong bytesToNode;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Map<Long, Sent> underWay = new HashMap<>();
  private long bytesUnderWay;
  private boolean streaming;
  private int failures;
  private int unanswered;
  private long notBefore;
  private long told = RaftLog.INVALID_LOG_INDEX;

  private final AtomicBoolean telling = new AtomicBoolean();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final CompletableFuture<LifeCycle.State> ended = new CompletableFuture<>();
  private volatile Thread own;
  private volatile boolean ownSends;
  private volatile boolean awaitsConnection;

  /** The number of the last heartbeat that was asked for, see {@link #getCallId}. */
  private final AtomicLong asked = new AtomicLong();

  private volatile boolean heartbeatWanted;

  PeerAppender(RaftServer.Division member, LeaderState leader, FollowerInfo follower, Wires wires) {
    super(member, leader, follower);
    this.wires = wires;
    this.bytesToNode = wires.links().underWay(follower.getId());
  }

  private Peer peer() throws IOException {
    return wires.links().to(getFollowerId());
  }

  /**
   * Ratis's own future never completes when an appender has failed and cannot be replaced, and the
   * member that waits for it would never be closed. It is waited for what uses the member.
   */
  @Override
  public CompletableFuture<LifeCycle.State> stopAsync() {
    return super.stopAsync().applyToEither(ended, state -> state);
  }

  // ---- news

  /** Entries were appended here, or something is committed. Any thread. */
  @Override
  public void notifyLogAppender() {
    if (!sendNear()) {
      wake();
    }
  }

  private void wake() {
    if (woken.compareAndSet(false, true)) {
      Thread thread = own;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /**
   * Sends what there is to send, if that takes neither the disk nor a wait.
   *
   * @return false when it is for this appender's own thread
   */
  private boolean sendNear() {
    if (!acquire()) {
      return false;
    }
    try {
      while (streaming && isRunning() && hasAppendEntries() && hasRoom()) {
        if (getRaftLog().getNextIndex() - getFollower().getNextIndex() > NEAR_ENTRIES
            || !sendNext()) {
          return false;
        }
      }
      tellWhenIdle();
      return streaming || awaitsConnection || !underWay.isEmpty();
    } catch (IOException | RuntimeException e) {
      beginAnew();
      LOG.debug("{} sends later", this, e);
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Takes the lock; false while this appender's own thread has it, which may read the disk. */
  private boolean acquire() {
    if (!lock.tryLock()) {
      if (ownSends) {
        return false;
      }
      lock.lock();
    }
    return true;
  }

  private boolean hasRoom() {
    // The answer to what is under way sends the next one.
    return underWay.isEmpty()
        || (streaming
            && underWay.size() < WINDOW
            && bytesUnderWay < WINDOW_BYTES
            && bytesToNode.get() < RaftLinks.MOST_BYTES);
  }

  // ---- this appender's own thread

  /**
   * @throws IOException when the log cannot be read: Ratis then makes another appender in the place
   *     of this one, in which entries may be left that were to be sent
   */
  @Override
  public void run() throws InterruptedException, IOException {
    own = Thread.currentThread();
    wires.heartbeats().add(this);
    try {
      while (isRunning()) {
        long wait = sendFar();
        getLeaderState().checkHealth(getFollower());
        if (wait > 0) {
          Environment.await(this, wait, () -> woken.get() || heartbeatWanted || !isRunning());
        }
        woken.set(false);
      }
    } finally {
      wires.heartbeats().remove(this);
      ended.complete(LifeCycle.State.CLOSED);
    }
  }

  /**
   * Sends whatever there is to send.
   *
   * @return how long to wait when nothing new happens
   */
  private long sendFar() throws InterruptedException, IOException {
    if (heartbeatWanted) {
      heartbeatWanted = false;
      sendHeartbeat();
    }
    while (true) {
      TermIndex firstAvailable;
      try {
        loadNext();
        ownSends = true;
        lock.lock();
        try {
          long early = notBefore - Environment.nanoTime();
          if (failures > 0 && early > 0) {
            return early;
          }
          if (!isConnected()) {
            return awaitsConnection ? IDLE_NANOS : PAUSE_NANOS;
          }
          firstAvailable = underWay.isEmpty() ? shouldNotifyToInstallSnapshot() : null;
          if (firstAvailable == null) {
            if (!isRunning() || !hasAppendEntries() || !hasRoom()) {
              tellWhenIdle();
              return IDLE_NANOS;
            }
            if (!sendNext()) {
              return FETCH_PAUSE_NANOS; // the log does not have the next entry any more
            }
          }
        } finally {
          lock.unlock();
          ownSends = false;
        }
      } catch (IOException | RuntimeException e) {
        Environment.parkNanos(this, PAUSE_NANOS);
        throw e;
      }
      if (firstAvailable != null) {
        return letFetch(firstAvailable);
      }
    }
  }

  /** Has what is to be sent next in memory: who waits for the lock is not to wait for the disk. */
  private void loadNext() throws IOException {
    long next = getFollower().getNextIndex();
    RaftLog log = getRaftLog();
    if (next >= log.getStartIndex() && next < log.getNextIndex()) {
      log.get(next);
    }
  }

  private void tellWhenIdle() {
    if (streaming && underWay.isEmpty()) {
      tellSoon();
    }
  }

  /** Whether there is a connection; if not, this is woken when there is one, if it awaits one. */
  private boolean isConnected() {
    Peer peer;
    try {
      peer = peer();
    } catch (IOException e) {
      LOG.debug("{} cannot connect", this, e); // this node ends, or does not know the member yet
      return false;
    }
    if (peer.isConnected()) {
      return true;
    }
    if (!awaitsConnection) {
      awaitsConnection = true;
      peer.connected()
          .whenComplete(
              (connected, failure) -> {
                if (failure == null) {
                  lookAgain();
                } else { // it was refused, or the member is to be reached at another address
                  Later.run(PAUSE_NANOS, TimeUnit.NANOSECONDS, this::lookAgain);
                }
              });
    }
    return false;
  }

  private void lookAgain() {
    awaitsConnection = false;
    wake();
  }

  // ---- entries

  /** Sends the next entries; false when there are none to be had, or this node ends. */
  private boolean sendNext() throws IOException {
    Peer peer;
    try {
      peer = peer();
    } catch (IOException e) {
      LOG.debug("{} sends nothing", this, e);
      return false;
    }
    AppendEntriesRequestProto request =
        newAppendEntriesRequest(wires.calls().incrementAndGet(), false);
    if (request == null || request.getEntriesCount() == 0) {
      return false;
    }
    int count = request.getEntriesCount();
    ByteBuf payload = RaftMessageLayout.write(wires.allocator(), bare(request));
    Sent sent =
        new Sent(
            request.getServerRequest().getCallId(),
            request.hasPreviousLog() ? TermIndex.valueOf(request.getPreviousLog()) : null,
            request.getEntries(0).getIndex(),
            payload.readableBytes(),
            Timestamp.currentTime());
    underWay.put(sent.call(), sent);
    bytesUnderWay += sent.bytes();
    bytesToNode.addAndGet(sent.bytes());
    if (streaming) {
      getFollower().increaseNextIndex(request.getEntries(count - 1).getIndex() + 1);
    }
    told = Math.max(told, request.getLeaderCommit());
    getFollower().updateLastRpcSendTime(false);
    peer.call(StorageMessages.RAFT_APPEND, payload, wires.requestNanos())
        .whenComplete((reply, failure) -> ended(sent, reply, failure));
    return true;
  }

  /**
   * Without what the leader knows of all members' commits, with their addresses: Ratis shows it in
   * a follower's answers to clients, of which there are none here.
   */
  private static AppendEntriesRequestProto bare(AppendEntriesRequestProto request) {
    return request.toBuilder().clearCommitInfos().build();
  }

  private void ended(Sent sent, ByteBuf reply, Throwable failure) {
    bytesToNode.addAndGet(-sent.bytes());
    if (lock.isHeldByCurrentThread() ? failure == null : ownSends) {
      // It was answered before this thread could say what is to be done then; or this is the event
      // loop, and is not to wait for what this appender's own thread reads from the disk.
      Later.NOW.execute(() -> settle(sent, reply, failure));
    } else {
      settle(sent, reply, failure);
    }
  }

  private void settle(Sent sent, ByteBuf reply, Throwable failure) {
    if (failure != null) {
      failed(sent, failure);
    } else {
      answered(sent, reply);
    }
  }

  /** From where the follower's log is known to match, one request after another. */
  private void beginAnew() {
    if (streaming) {
      streaming = false;
      long matching = getFollower().getMatchIndex() + 1;
      getFollower().computeNextIndex(next -> next <= matching ? next : lowest(matching));
    }
    underWay.clear();
    bytesUnderWay = 0;
    told = RaftLog.INVALID_LOG_INDEX;
  }

  /** Of what is under way; that is what was not acknowledged. */
  private long lowest(long matching) {
    long lowest =
        underWay.values().stream()
            .mapToLong(Sent::first)
            .min()
            .orElse(getFollower().getNextIndex());
    return Math.max(matching, lowest);
  }

  private void failed(Sent sent, Throwable failure) {
    boolean isLasting;
    lock.lock();
    try {
      if (!underWay.containsKey(sent.call())) {
        return; // one before has failed, too
      }
      beginAnew();
      pauseNext();
      unanswered++;
      isLasting = unanswered == LASTING;
    } finally {
      lock.unlock();
    }
    if (isLasting) {
      LOG.warn("{}: {} requests in a row were not taken; trying again", this, LASTING, failure);
    } else {
      LOG.debug("{}: {} is not answered", this, sent, failure);
    }
    wake();
  }

  private void pauseNext() {
    failures++;
    notBefore =
        Environment.nanoTime() + (failures <= SHORT_PAUSES ? SHORT_PAUSE_NANOS : PAUSE_NANOS);
  }

  private void answered(Sent sent, ByteBuf payload) {
    AppendEntriesReplyProto reply;
    try {
      reply = PeerRpc.read(payload, AppendEntriesReplyProto.parser());
    } catch (RuntimeException e) {
      failed(sent, e);
      return;
    }
    if (!isRunning()) {
      return;
    }
    getFollower().updateLastRpcResponseTime();
    getFollower().updateLastRespondedAppendEntriesSendTime(sent.at());
    switch (reply.getResult()) {
      case SUCCESS -> succeeded(sent, reply);
      case INCONSISTENCY -> inconsistent(sent.call(), sent.first(), reply);
      default -> refused(sent, reply);
    }
    getLeaderState().onAppendEntriesReply(this, reply);
    notifyLogAppender();
  }

  private void succeeded(Sent sent, AppendEntriesReplyProto reply) {
    getLeaderState().onFollowerCommitIndex(getFollower(), reply.getFollowerCommit());
    boolean isNews;
    lock.lock();
    try {
      isNews = getFollower().updateMatchIndex(reply.getMatchIndex());
      if (isNews) {
        getFollower().updateNextIndex(reply.getMatchIndex() + 1);
      }
      if (underWay.remove(sent.call()) != null) {
        bytesUnderWay -= sent.bytes();
        streaming = true;
        failures = 0;
        unanswered = 0;
      }
    } finally {
      lock.unlock();
    }
    if (isNews) {
      getLeaderState().onFollowerSuccessAppendEntries(getFollower());
    }
  }

  /** The follower lacks what comes before, or has other entries there. */
  private void inconsistent(long call, long first, AppendEntriesReplyProto reply) {
    lock.lock();
    try {
      boolean isHeartbeat = first == RaftLog.INVALID_LOG_INDEX;
      if (!isHeartbeat && !underWay.containsKey(call)) {
        return; // that is known already
      }
      streaming = false;
      underWay.clear();
      bytesUnderWay = 0;
      unanswered = 0;
      getFollower().setNextIndex(getNextIndexForInconsistency(first, reply.getNextIndex()));
      pauseNext();
    } finally {
      lock.unlock();
    }
    wake();
  }

  /** Another leader is followed there. */
  private void refused(Sent sent, AppendEntriesReplyProto reply) {
    LOG.info("{}: {} to {}", this, reply.getResult(), sent);
    failed(sent, new IOException("refused: " + reply.getResult()));
    heardOf(reply.getTerm());
  }

  /** The member's lock may be held by one who waits for this appender to end. */
  private void heardOf(long term) {
    Later.NOW.execute(() -> onFollowerTerm(term));
  }

  // ---- heartbeats and commits

  /** A heartbeat, unless something was sent just before, or is being sent. */
  AppendEntriesRequestProto heartbeatIfDue() {
    long sentMillis = getFollower().getLastRpcSendTime().elapsedTimeMs();
    return sentMillis < getServer().properties().minRpcTimeoutMs() / 10 ? null : newHeartbeat();
  }

  /** Null when there is none now. */
  private AppendEntriesRequestProto newHeartbeat() {
    if (!acquire()) {
      heartbeatWanted = true;
      return null;
    }
    try {
      if (!isRunning()) {
        return null;
      }
      AppendEntriesRequestProto request =
          newAppendEntriesRequest(wires.calls().incrementAndGet(), true);
      // What it has not acknowledged may not be on its disk, and is not committed there by this.
      told = Math.max(told, Math.min(request.getLeaderCommit(), getFollower().getMatchIndex()));
      getFollower().updateLastRpcSendTime(true);
      return bare(request);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} sends no heartbeat", this, e); // it leads no more
      return null;
    } finally {
      lock.unlock();
    }
  }

  void heartbeatAnswered(AppendEntriesReplyProto reply) {
    if (!isRunning()) {
      return;
    }
    getFollower().updateLastRpcResponseTime();
    switch (reply.getResult()) {
      case SUCCESS ->
          getLeaderState().onFollowerCommitIndex(getFollower(), reply.getFollowerCommit());
      case INCONSISTENCY -> inconsistent(0, RaftLog.INVALID_LOG_INDEX, reply);
      default -> heardOf(reply.getTerm());
    }
    getLeaderState().onAppendEntriesReply(this, reply);
    notifyLogAppender();
  }

  /** For a read that has to know that this node still leads. */
  @Override
  public void triggerHeartbeat() {
    AppendEntriesRequestProto request = newHeartbeat();
    if (request == null) {
      asked.accumulateAndGet(wires.calls().get() + 1, Math::max);
      heartbeatWanted = true;
      wake();
      return;
    }
    asked.accumulateAndGet(request.getServerRequest().getCallId(), Math::max);
    send(request);
  }

  private void sendHeartbeat() {
    AppendEntriesRequestProto request = newHeartbeat();
    if (request != null) {
      send(request);
    }
  }

  private void send(AppendEntriesRequestProto heartbeat) {
    try {
      peer()
          .call(
              StorageMessages.RAFT_HEARTBEATS,
              RaftMessageLayout.write(wires.allocator(), List.of(heartbeat)),
              wires.requestNanos())
          .whenComplete(
              (reply, failure) -> {
                if (failure == null) {
                  heartbeatAnswered(reply);
                }
              });
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} sends no heartbeat", this, e);
    }
  }

  private void heartbeatAnswered(ByteBuf payload) {
    List<AppendEntriesReplyProto> parts;
    try {
      parts = RaftMessageLayout.readParts(payload, AppendEntriesReplyProto.parser());
    } finally {
      payload.release();
    }
    if (!parts.isEmpty() && parts.getFirst() != null) {
      heartbeatAnswered(parts.getFirst());
    }
  }

  /**
   * Answers to requests with this number or a higher one were sent after a heartbeat was asked for:
   * Ratis asks for one, and then for the number from which on an answer will do.
   */
  @Override
  public long getCallId() {
    return asked.get();
  }

  @Override
  public Comparator<Long> getCallIdComparator() {
    return Comparator.naturalOrder();
  }

  /** Whether there is a commit that the follower has not been told of. */
  private boolean isUntold() {
    return told < Math.min(getRaftLog().getLastCommittedIndex(), getFollower().getMatchIndex());
  }

  /** Tells of the last commit if no entry does. */
  private void tellSoon() {
    if (isUntold() && telling.compareAndSet(false, true)) {
      wires.news().later(this);
    }
  }

  /** A message that tells of a commit, if there still is one to tell; null otherwise. */
  AppendEntriesRequestProto commitUntold() {
    telling.set(false);
    if (!acquire()) {
      return null; // entries are being sent
    }
    try {
      return streaming && underWay.isEmpty() && isUntold() ? newHeartbeat() : null;
    } finally {
      lock.unlock();
    }
  }

  /** Heartbeats are for {@link Heartbeats}: requests that are made here have entries. */
  @Override
  public long getHeartbeatWaitTimeMs() {
    return TimeUnit.NANOSECONDS.toMillis(IDLE_NANOS);
  }

  // ---- states to fetch

  /**
   * Tells the follower that its log ends before this one begins.
   *
   * @return how long to wait before it is asked again
   */
  private long letFetch(TermIndex firstAvailable) throws InterruptedException {
    InstallSnapshotReplyProto reply;
    try {
      getFollower().updateLastRpcSendTime(false);
      reply = getServerRpc().installSnapshot(newInstallSnapshotNotificationRequest(firstAvailable));
    } catch (IOException e) {
      LOG.debug("{} is not told to fetch the state before {}", this, firstAvailable, e);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return PAUSE_NANOS;
    }
    getFollower().updateLastRpcResponseTime();
    switch (reply.getResult()) {
      case ALREADY_INSTALLED, SNAPSHOT_INSTALLED -> {
        fetched(reply.getSnapshotIndex());
        return 0;
      }
      case SUCCESS, SNAPSHOT_UNAVAILABLE -> getFollower().setAttemptedToInstallSnapshot();
      case NOT_LEADER -> heardOf(reply.getTerm());
      default -> LOG.debug("{}: {}", this, reply.getResult());
    }
    return FETCH_PAUSE_NANOS;
  }

  private void fetched(long index) {
    lock.lock();
    try {
      streaming = false;
      underWay.clear();
      bytesUnderWay = 0;
      getFollower().setSnapshotIndex(index);
    } finally {
      lock.unlock();
    }
    getFollower().setAttemptedToInstallSnapshot();
    getLeaderState().onFollowerCommitIndex(getFollower(), index);
  }
}
