package io.gauss.storage.raft;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Transport;
import io.gauss.storage.raft.rpc.PeerRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.AlreadyExistsException;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Raft server of a storage node, by Ratis: this node's members of all its groups.
 *
 * <p>Groups are added at run time and found again at start by their directories. The given factory
 * creates a group's state machine, once per group and start.
 *
 * <p>Commands go directly to the member on this node; the caller has to find the node whose member
 * leads. The result of a command is {@link Submitted.Applied} only when it is forced on a majority
 * of the members and applied here.
 *
 * <p>Thread-safe. {@link #submit} does no I/O, but may wait for an election that is under way;
 * futures complete on threads of Ratis, which must not be blocked.
 */
public final class RaftHost implements GroupHost {
  private static final Logger LOG = LoggerFactory.getLogger(RaftHost.class);

  /** For how long {@link #close} waits; a server that stops normally needs a second or two. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

  private static final Set<LifeCycle.State> STARTING =
      EnumSet.of(LifeCycle.State.NEW, LifeCycle.State.STARTING);

  /** How long an operator's request (adding a group, members, a snapshot) may take. */
  private static final long MANAGEMENT_TIMEOUT_MILLIS = 30_000;

  /** Makes the state machine of a group. */
  @FunctionalInterface
  public interface MachineFactory {
    StateMachine create(GroupId group);

    /** State machines of these replicas. */
    static MachineFactory of(GroupReplica.Factory replicas) {
      return group -> new GroupMachine(replicas.create(group));
    }

    /** A factory for each kind of group; all kinds must be present. */
    static MachineFactory byKind(Map<GroupId.Kind, MachineFactory> kinds) {
      return group -> kinds.get(group.kind()).create(group);
    }
  }

  private final RaftSettings settings;
  private final RaftServer server;
  private final ScheduledExecutorService timer;
  private final ForcedAnswers answers;
  private final StuckMembers stuck;
  private final RaftCounts counts;
  private final Map<GroupId, GroupMachine> machines;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private volatile boolean closed;

  private RaftHost(
      RaftSettings settings,
      RaftServer server,
      ScheduledExecutorService timer,
      CheckedRpc.Wiring wiring,
      Map<GroupId, GroupMachine> machines) {
    this.settings = settings;
    this.server = server;
    this.timer = timer;
    this.answers = wiring.answers();
    this.stuck = wiring.stuck();
    this.counts = wiring.counts();
    this.machines = machines;
  }

  /**
   * Starts the server with the groups whose directories exist.
   *
   * @throws GaussException IO_ERROR when the directory or the port cannot be used, or a log found
   *     there is damaged
   */
  public static RaftHost start(RaftSettings settings, MachineFactory machines) {
    return start(settings, machines, Map.of());
  }

  /**
   * The same, with the evidence that entries of some kinds of groups give about damage in their
   * logs. For other kinds the server does not start when damage may have destroyed durable entries.
   */
  public static RaftHost start(
      RaftSettings settings, MachineFactory machines, Map<GroupId.Kind, LogEvidence> evidence) {
    return start(settings, machines, evidence, transport -> transport);
  }

  /**
   * The same over another transport.
   *
   * @param transports stands between the members and their transport
   */
  static RaftHost start(
      RaftSettings settings,
      MachineFactory machines,
      Map<GroupId.Kind, LogEvidence> evidence,
      UnaryOperator<Transport> transports) {
    RaftServer server = null;
    ScheduledExecutorService timer =
        Environment.abruptScheduler("gauss-raft-timer-" + settings.node());
    try {
      Files.createDirectories(settings.directory());
      GroupDirectories.settle(settings.directory(), evidence);
      Map<GroupId, GroupMachine> made = new ConcurrentHashMap<>();
      CheckedRpc.Wiring wiring =
          CheckedRpc.Wiring.of(settings, timer, transports, id -> made.get(known(id)));
      server =
          RaftServer.newBuilder()
              .setServerId(GroupMember.peerId(settings.node()))
              .setOption(RaftStorage.StartupOption.RECOVER)
              .setProperties(RatisProperties.of(settings))
              .setParameters(wiring.in(new Parameters()))
              .setStateMachineRegistry(id -> noted(id, machines.create(known(id)), made, wiring))
              .build();
      server.start();
      RaftHost host = new RaftHost(settings, server, timer, wiring, made);
      // Ratis logs and skips a directory that it cannot open; this node must not do without it.
      GroupDirectories.groups(settings.directory()).forEach(host::division);
      return host;
    } catch (GaussException e) { // it says what is wrong
      end(server, timer, e);
      throw e;
    } catch (IOException | CompletionException | IllegalStateException e) {
      end(server, timer, e);
      throw failure("the Raft server of storage node " + settings.node() + " does not start", e);
    }
  }

  private static StateMachine noted(
      RaftGroupId id,
      StateMachine machine,
      Map<GroupId, GroupMachine> made,
      CheckedRpc.Wiring wiring) {
    if (machine instanceof GroupMachine of) {
      of.onForce(
          index -> {
            wiring.counts().forced();
            wiring.applied().forcing(of, index);
          });
      made.put(known(id), of);
    }
    return machine;
  }

  private static GroupId known(RaftGroupId id) {
    return GroupId.of(id.getUuid())
        .orElseThrow(() -> new IllegalStateException("a Raft group of unknown kind: " + id));
  }

  private static void end(RaftServer server, ScheduledExecutorService timer, Exception failure) {
    try {
      if (server != null) {
        server.close();
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    } finally {
      timer.shutdownNow();
    }
  }

  @Override
  public int node() {
    return settings.node();
  }

  // ---- groups

  @Override
  public void addGroup(GroupId group, List<GroupMember> members) {
    GroupManagementRequest request =
        GroupManagementRequest.newAdd(
            client,
            server.getId(),
            calls.incrementAndGet(),
            RaftGroup.valueOf(group.ratis(), peers(members)),
            // Formats only when that group has no directory.
            false);
    try {
      require(server.groupManagement(request), "group of " + group + " cannot be added");
      LOG.info("storage node {} takes part in the group of {}", node(), group);
    } catch (AlreadyExistsException e) {
      LOG.debug("storage node {} is a member of the group of {} already", node(), group);
    } catch (IOException e) {
      throw failure("group of " + group + " cannot be added", e);
    }
  }

  @Override
  public boolean hasLeft(GroupId group) {
    return Files.exists(leftMarker(group));
  }

  private Path leftMarker(GroupId group) {
    return settings.directory().resolve("left-" + group.uuid());
  }

  private void markLeft(GroupId group) throws IOException {
    Path marker = leftMarker(group);
    if (!Files.exists(marker)) {
      Files.createFile(marker);
    }
    GroupDirectories.force(settings.directory());
  }

  @Override
  public void removeGroup(GroupId group) {
    GroupManagementRequest request =
        GroupManagementRequest.newRemove(
            client, server.getId(), calls.incrementAndGet(), group.ratis(), false, true);
    try {
      markLeft(group);
      require(server.groupManagement(request), "group of " + group + " cannot be removed");
      machines.remove(group);
      answers.removed(group.ratis());
      ((PeerRpc) server.getServerRpc()).removed(group.ratis());
    } catch (IOException e) {
      throw failure("group of " + group + " cannot be removed", e);
    }
  }

  @Override
  public List<GroupId> groups() {
    List<GroupId> groups = new ArrayList<>();
    for (RaftGroupId id : server.getGroupIds()) {
      groups.add(known(id));
    }
    return groups;
  }

  @Override
  public void setMembers(GroupId group, List<GroupMember> members) {
    try {
      require(server.setConfiguration(change(group, members)), cannotChange(group));
    } catch (IOException e) {
      throw failure(cannotChange(group), e);
    }
  }

  @Override
  public CompletableFuture<Void> changeMembers(GroupId group, List<GroupMember> members) {
    try {
      return server
          .setConfigurationAsync(change(group, members))
          .thenAccept(
              reply -> {
                try {
                  require(reply, cannotChange(group));
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
    } catch (IOException e) {
      return CompletableFuture.failedFuture(failure(cannotChange(group), e));
    }
  }

  @Override
  public CompletableFuture<Void> giveLead(GroupId group, int to, Duration time) {
    String what = "the lead of " + group + " is not handed over";
    TransferLeadershipRequest request =
        new TransferLeadershipRequest(
            client,
            server.getId(),
            group.ratis(),
            calls.incrementAndGet(),
            GroupMember.peerId(to),
            time.toMillis());
    try {
      return server
          .transferLeadershipAsync(request)
          .thenAccept(
              reply -> {
                try {
                  require(reply, what);
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
    } catch (IOException e) {
      return CompletableFuture.failedFuture(failure(what, e));
    }
  }

  private static String cannotChange(GroupId group) {
    return "members of " + group + " cannot be changed";
  }

  private SetConfigurationRequest change(GroupId group, List<GroupMember> members) {
    return new SetConfigurationRequest(
        client,
        server.getId(),
        group.ratis(),
        calls.incrementAndGet(),
        SetConfigurationRequest.Arguments.newBuilder().setServersInNewConf(peers(members)).build());
  }

  @Override
  public boolean areMembersSettled(GroupId group) {
    RaftServer.Division division = division(group);
    RaftConfiguration now = division.getRaftConf();
    return !now.getCurrentPeers().isEmpty()
        && now.getPreviousPeers().isEmpty()
        && now.getLogEntryIndex() <= division.getRaftLog().getLastCommittedIndex();
  }

  @Override
  public List<GroupMember> members(GroupId group) {
    List<GroupMember> members = new ArrayList<>();
    for (RaftPeer peer : division(group).getRaftConf().getAllPeers()) {
      int colon = peer.getAddress().lastIndexOf(':');
      members.add(
          new GroupMember(
              GroupMember.node(peer.getId()),
              peer.getAddress().substring(0, colon),
              Integer.parseInt(peer.getAddress().substring(colon + 1)),
              peer.getPriority()));
    }
    return members;
  }

  @Override
  public CompletableFuture<Void> forget(GroupId group) {
    SnapshotManagementRequest request =
        SnapshotManagementRequest.newCreate(
            client,
            server.getId(),
            group.ratis(),
            calls.incrementAndGet(),
            MANAGEMENT_TIMEOUT_MILLIS,
            1);
    return server.snapshotManagementAsync(request).thenAccept(reply -> {});
  }

  private static List<RaftPeer> peers(List<GroupMember> members) {
    return members.stream().map(GroupMember::ratis).toList();
  }

  private static void require(RaftClientReply reply, String what) throws IOException {
    if (!reply.isSuccess()) {
      throw reply.getException() == null ? new IOException(what) : reply.getException();
    }
  }

  // ---- commands and questions

  @Override
  public CompletableFuture<Submitted> submit(GroupId group, byte[] command) {
    return submit(group, UnsafeByteOperations.unsafeWrap(command));
  }

  CompletableFuture<Submitted> submit(GroupId group, ByteString command) {
    return send(group, command, RaftClientRequest.writeRequestType());
  }

  @Override
  public CompletableFuture<Submitted> query(GroupId group, byte[] question) {
    return query(group, UnsafeByteOperations.unsafeWrap(question));
  }

  CompletableFuture<Submitted> query(GroupId group, ByteString question) {
    return send(group, question, RaftClientRequest.readRequestType());
  }

  private CompletableFuture<Submitted> send(
      GroupId group, ByteString content, RaftClientRequest.Type type) {
    if (closed) {
      return CompletableFuture.completedFuture(new Submitted.NotLeader(OptionalInt.empty()));
    }
    RaftServer.Division division = division(group);
    if (!division.getInfo().isLeader()) {
      return CompletableFuture.completedFuture(new Submitted.NotLeader(leader(group)));
    }
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(server.getId())
            .setGroupId(group.ratis())
            .setCallId(calls.incrementAndGet())
            .setMessage(Message.valueOf(content))
            .setType(type)
            .build();
    try {
      // Through the server the request would change threads, and the caller would wait for that.
      RaftClientAsynchronousProtocol member = (RaftClientAsynchronousProtocol) division;
      return member
          .submitClientRequestAsync(request)
          .handle((reply, failure) -> failure == null ? Outcomes.of(reply) : Outcomes.of(failure));
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.completedFuture(Outcomes.of(e));
    }
  }

  // ---- how it stands

  @Override
  public boolean leads(GroupId group) {
    return division(group).getInfo().isLeaderReady();
  }

  /**
   * As Ratis itself looks at it, when it does: a member that is being taken in does not count
   * before it is one, and during a change both the old and the new members have to answer.
   */
  @Override
  public boolean leadsMajority(GroupId group) {
    RaftServer.Division division = division(group);
    if (!division.getInfo().isLeaderReady()) {
      return false; // also of a member that has not started: it has no role yet
    }
    RoleInfoProto role = division.getInfo().getRoleInfoProto();
    if (!role.hasLeaderInfo()) {
      return false; // not any more
    }
    long recent = settings.electionTimeoutMax().toMillis();
    Set<RaftPeerId> answering = new HashSet<>();
    answering.add(division.getId());
    for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
      // Of one to which nothing was sent yet, Ratis says that it has answered that long ago.
      if (follower.getLastRpcElapsedTimeMs() < recent) {
        answering.add(RaftPeerId.valueOf(follower.getId().getId()));
      }
    }
    RaftConfiguration members = division.getRaftConf();
    return isMajority(members.getCurrentPeers(), answering)
        && (members.getPreviousPeers().isEmpty()
            || isMajority(members.getPreviousPeers(), answering));
  }

  private static boolean isMajority(Collection<RaftPeer> of, Set<RaftPeerId> answering) {
    return 2 * of.stream().filter(peer -> answering.contains(peer.getId())).count() > of.size();
  }

  @Override
  public OptionalInt leader(GroupId group) {
    RaftPeerId leader = division(group).getInfo().getLeaderId();
    return leader == null ? OptionalInt.empty() : OptionalInt.of(GroupMember.node(leader));
  }

  @Override
  public GroupStatus status(GroupId group) {
    RaftServer.Division division = division(group);
    DivisionInfo info = division.getInfo();
    RaftLog log = openLog(division);
    if (log == null) {
      return new GroupStatus(
          group, false, false, OptionalInt.empty(), info.getCurrentTerm(), -1, -1, -1, -1);
    }
    return new GroupStatus(
        group,
        true,
        info.isLeaderReady(),
        leader(group),
        info.getCurrentTerm(),
        log.getNextIndex() - 1,
        log.getFlushIndex(),
        log.getLastCommittedIndex(),
        info.getLastAppliedIndex());
  }

  /** Null while the member has not started, and when it has stopped. */
  private static RaftLog openLog(RaftServer.Division division) {
    try {
      RaftLog log = division.getRaftLog();
      long applied = division.getInfo().getLastAppliedIndex(); // throws until it has started
      return division.getInfo().isAlive() && log.isOpened() && applied >= RaftLog.INVALID_LOG_INDEX
          ? log
          : null;
    } catch (IllegalStateException e) {
      LOG.debug("the log of {} is not there", division.getMemberId(), e);
      return null;
    }
  }

  @Override
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    if (!closed && server.getLifeCycleState().isClosingOrClosed()) {
      problems.add(new Problem("Raft server stopped", "see the log"));
      return problems;
    }
    for (GroupId group : groups()) {
      RaftServer.Division division = division(group);
      if (STARTING.contains(division.getInfo().getLifeCycleState())) {
        problems.add(new Problem("group of " + group + " starts on this node", "wait"));
      } else if (openLog(division) == null || stuck.isStuck(group.ratis())) {
        problems.add(new Problem("group of " + group + " stopped on this node", "see the log"));
      } else if (leader(group).isEmpty() && !members(group).isEmpty()) {
        problems.add(new Problem("group of " + group + " has no leader", "no majority answers"));
      }
    }
    return problems;
  }

  @Override
  public RaftCounts counts() {
    return counts;
  }

  /** How this node's members answer to the others; for tests. */
  ForcedAnswers answers() {
    return answers;
  }

  @Override
  public List<Throwable> logFailures() {
    return machines.values().stream()
        .map(GroupMachine::logFailure)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Ratis closes a member whose threads meet an error that it does not expect; in an election it
   * only ends that.
   */
  @Override
  public List<GroupId> ended() {
    List<GroupId> ended = new ArrayList<>();
    for (RaftGroupId id : server.getGroupIds()) {
      try {
        LifeCycle.State state = server.getDivision(id).getInfo().getLifeCycleState();
        if ((state.isClosingOrClosed() || stuck.isStuck(id)) && !closed) {
          ended.add(known(id));
        }
      } catch (IOException e) {
        LOG.debug("the group of {} has just been removed", id, e);
      }
    }
    return ended;
  }

  @Override
  public GroupLog log(GroupId group) {
    return new RatisLog(division(group));
  }

  /** This node's member of a group in Ratis. */
  RaftServer.Division division(GroupId group) {
    try {
      return server.getDivision(group.ratis());
    } catch (IOException e) {
      throw failure("storage node " + node() + " is not a member of the group of " + group, e);
    }
  }

  private static GaussException failure(String what, Throwable cause) {
    return new GaussException(SqlState.IO_ERROR, what + ": " + cause.getMessage(), cause);
  }

  /**
   * Stops the server. Waits for it for a limited time only: in Ratis 3.3.0 a closing log holds its
   * lock while it waits for the thread that evicts its cache, which may be waiting for the same
   * lock. Acknowledged entries are on disk, so a server that does not stop loses nothing; its
   * directory stays locked until the process ends.
   */
  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    Environment.start(
        "raft-close-" + node(),
        () -> {
          try {
            server.close();
            stopped.complete(null);
          } catch (IOException | RuntimeException | Error e) {
            stopped.completeExceptionally(e);
          }
        });
    boolean interrupted = false;
    long deadline = Environment.nanoTime() + CLOSE_LIMIT.toNanos();
    try {
      while (true) {
        try {
          stopped.get(deadline - Environment.nanoTime(), TimeUnit.NANOSECONDS);
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          LOG.warn(
              "the Raft server of storage node {} has not stopped within {} s and is left to the"
                  + " end of the process",
              node(),
              CLOSE_LIMIT.toSeconds());
          break;
        } catch (ExecutionException e) {
          throw failure(
              "the Raft server of storage node " + node() + " does not stop", e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
