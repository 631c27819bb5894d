package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.Problem;
import io.gauss.common.runtime.Environment;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.MapReplicas;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.MemberChange;
import io.gauss.storage.wire.GroupLayout.Standing;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adjusts this node's members of Raft groups to the cluster map: joins groups, leaves them, and,
 * where this node leads, changes the members.
 *
 * <p><b>Which node may create a group.</b> A group is created by giving the same list to each of
 * its first members. A node votes by the list that it was given, so two nodes that were given a
 * list with a majority of new ones could elect a leader of an empty log, next to the existing
 * group. So only the <em>founders</em> create a group: the nodes that the map named when it placed
 * the stream. The map keeps them for ever, agreed on like everything in it. So no node needs to ask
 * whether a group exists; the nodes that know might all be dead. All other replicas join with an
 * empty list: they neither vote nor stand for election until the leader has made them members,
 * which it does only once they have the others' data. A founder without the group has one of two
 * reasons. Either it has not created the group yet, and creates it now, even if the map has moved
 * the stream elsewhere meanwhile (the group must exist before the others can join). Or it has left
 * the group, which a durable mark records ({@link GroupHost#hasLeft}), and joins like any other. A
 * founder that lost its disk has neither group nor mark, but the cluster knows its number: it is
 * not admitted, and returns under another number, which founds nothing.
 *
 * <p><b>When a member leaves.</b> Only when the group's leader reports, by a committed list, that
 * it is no longer a member: until then the group may need it for a majority. A leader that is to
 * leave hands over the lead first.
 *
 * <p>{@link #reconcile} is for one thread, and is called again and again; it does not wait for
 * other nodes. The rest is thread-safe.
 */
final class GroupReconciler {
  private static final Logger LOG = LoggerFactory.getLogger(GroupReconciler.class);

  private static final GroupId MAP = GroupId.clusterMap();

  private static final int LEADER_PRIORITY = 2;
  private static final int PRIORITY = 1;

  /** Commands wait during the hand-over. */
  private static final Duration HAND_OVER = Duration.ofSeconds(1);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Duration PAUSE = Duration.ofMillis(50);

  /** While the map has not changed for a while and no step is under way: the rest is waiting. */
  private static final Duration QUIET_PAUSE = Duration.ofMillis(250);

  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** This node's replicas of streams. */
  interface Replicas {
    boolean has(int stream);

    /** Takes part in the stream's group, and lets the pages follow. */
    void add(int stream, List<GroupMember> members);

    /** Ends this node's part in the group, and forgets the pages' progress with the stream. */
    void remove(int stream);
  }

  private final int self;
  private final GroupHost host;
  private final Replicas replicas;
  private final GroupQuestions questions;
  private final Set<GroupId> changing = ConcurrentHashMap.newKeySet();
  private final Map<GroupId, Long> failedNanos = new ConcurrentHashMap<>();
  private final Map<GroupId, Problem> problems = new ConcurrentHashMap<>();
  private long version; // of the newest map; on the thread that reconciles, as the next one
  private long versionSince;

  GroupReconciler(int self, GroupHost host, Replicas replicas, GroupQuestions questions) {
    this.self = self;
    this.host = host;
    this.replicas = replicas;
    this.questions = questions;
  }

  /**
   * Takes the next steps towards the map's state. Needs the newest map that this node knows. An old
   * map is safe, since a node leaves a group only when that group's leader reports so; but a leader
   * with an old map may undo a change until it has the new one.
   */
  void reconcile(ClusterMap map) {
    if (!map.isInitialised()) {
      return;
    }
    for (StreamGroup group : map.streamGroups().values()) {
      GroupId id = GroupId.stream(group.slot());
      try {
        reconcile(map, group, id);
      } catch (GaussException | IllegalStateException e) {
        problem(id, e);
      }
    }
    if (leads(MAP)) {
      List<GroupMember> now = host.members(MAP);
      Set<Integer> live =
          map.live(Role.STORAGE).stream().map(MapNode::id).collect(Collectors.toSet());
      if (isOver(map) && now.stream().anyMatch(member -> live.contains(member.node()))) {
        // Other nodes refuse this one, so it cannot find out which node may take its place.
        handOver(MAP, now.stream().filter(member -> live.contains(member.node())).toList());
      } else {
        change(MAP, mapMembers(map, now));
      }
    } else if (host.groups().contains(MAP) && isWrongAboutMap(map)) {
      LOG.info("storage node {} keeps the cluster map no more, and may be asked to later", self);
      host.removeGroup(MAP);
      host.addGroup(MAP, List.of());
    }
  }

  /** How long to wait after {@link #reconcile} with this map until the next time. */
  Duration pauseAfter(ClusterMap map) {
    long now = Environment.nanoTime();
    if (map.version() != version) {
      version = map.version();
      versionSince = now;
    }
    boolean isQuiet = changing.isEmpty() && now - versionSince >= QUIET_NANOS;
    return isQuiet ? QUIET_PAUSE : PAUSE;
  }

  /** Whether the cluster has declared this node dead, or removed it. */
  private boolean isOver(ClusterMap map) {
    return map.node(self).filter(node -> !node.isLive()).isPresent();
  }

  /**
   * Whether this node wrongly considers itself a member of the map's group: another node took its
   * place while it was dead. Such a member is useless, even for becoming a member again.
   */
  private boolean isWrongAboutMap(ClusterMap map) {
    return host.members(MAP).stream().anyMatch(member -> member.node() == self)
        && isOut(map.live(Role.STORAGE).stream().map(MapNode::id).toList(), MAP);
  }

  private void reconcile(ClusterMap map, StreamGroup group, GroupId id) {
    boolean wanted = group.replicas().contains(self);
    if (!replicas.has(group.slot())) {
      join(map, group, id, wanted);
      return;
    }
    if (leads(id)) {
      change(id, ledByOneThatCan(id, members(map, group.replicas(), group.preferredLeader())));
    } else if (!wanted && isOut(group.replicas(), id)) {
      LOG.info("storage node {} keeps stream {} no more", self, group.slot());
      replicas.remove(group.slot());
      problems.remove(id);
    }
  }

  private void join(ClusterMap map, StreamGroup group, GroupId id, boolean wanted) {
    if (host.groups().contains(id)) {
      replicas.add(group.slot(), List.of()); // found on disk
    } else if (group.founders().contains(self) && !host.hasLeft(id)) {
      replicas.add(group.slot(), members(map, group.founders(), group.preferredLeader()));
    } else if (wanted) {
      replicas.add(group.slot(), List.of());
    }
  }

  private boolean leads(GroupId group) {
    return host.groups().contains(group) && host.leads(group);
  }

  /** Whether the group's leader reports, by a committed list, that this node is no member. */
  private boolean isOut(List<Integer> others, GroupId id) {
    return others.stream()
        .filter(node -> node != self)
        .map(node -> questions.at(node, id))
        .flatMap(Optional::stream)
        .anyMatch(s -> s.leads() && s.settled() && !s.members().contains(self));
  }

  // ---- members

  /** The same on every node, since it depends on the map alone. */
  private static List<GroupMember> members(ClusterMap map, List<Integer> nodes, int leader) {
    List<GroupMember> members = new ArrayList<>();
    for (int id : nodes) {
      members.add(member(map, id, id == leader ? LEADER_PRIORITY : PRIORITY));
    }
    return members;
  }

  /**
   * The same members. While the preferred leader cannot lead, because it is silent, its disk is
   * full or its log is damaged, priorities stay unchanged: another member was given the lead.
   */
  private List<GroupMember> ledByOneThatCan(GroupId group, List<GroupMember> wanted) {
    int preferred =
        wanted.stream()
            .max(Comparator.comparingInt(GroupMember::priority))
            .map(GroupMember::node)
            .orElseThrow();
    boolean can =
        preferred == self
            ? questions.mayLead(group)
            : questions.at(preferred, group).map(Standing::mayLead).orElse(false);
    if (can) {
      return wanted;
    }
    Map<Integer, Integer> priorities =
        host.members(group).stream()
            .collect(Collectors.toMap(GroupMember::node, GroupMember::priority));
    return wanted.stream()
        .map(
            m ->
                new GroupMember(
                    m.node(),
                    m.host(),
                    m.port(),
                    priorities.getOrDefault(m.node(), m.node() == preferred ? 0 : PRIORITY)))
        .toList();
  }

  private static GroupMember member(ClusterMap map, int id, int priority) {
    Endpoint raft =
        map.node(id)
            .flatMap(node -> node.endpoint(Endpoint.Purpose.RAFT))
            .orElseThrow(() -> new IllegalStateException("node " + id + " has no Raft address"));
    return new GroupMember(id, raft.host(), raft.port(), priority);
  }

  /**
   * Members of the map's own group: the present ones, except that a live node that is no member
   * replaces a dead one, and further ones while there is room for them: as many as {@link
   * MapReplicas}. A dead member without a replacement stays: it may return soon, and fewer members
   * would not tolerate more failures. A member that was replaced already does not stay: a leader
   * that leaves is a member together with its successor until another one leads.
   */
  static List<GroupMember> mapMembers(ClusterMap map, List<GroupMember> now) {
    Set<Integer> members = now.stream().map(GroupMember::node).collect(Collectors.toSet());
    List<MapNode> live = map.live(Role.STORAGE);
    Deque<MapNode> spare = new ArrayDeque<>();
    live.stream()
        .filter(node -> node.state() == NodeState.UP && !members.contains(node.id()))
        .forEach(spare::add);
    List<GroupMember> wanted = new ArrayList<>();
    for (GroupMember member : now) {
      Optional<MapNode> node = map.node(member.node());
      if (node.isEmpty()) {
        wanted.add(member); // it has not registered yet: the cluster is new
      } else if (!node.get().isLive() && !spare.isEmpty()) {
        wanted.add(member(map, spare.remove().id(), member.priority()));
      } else if (node.get().state() != NodeState.REMOVED) {
        wanted.add(member(map, member.node(), member.priority()));
      }
    }
    if (wanted.size() % 2 == 0) {
      wanted.stream()
          .filter(member -> map.node(member.node()).filter(node -> !node.isLive()).isPresent())
          .findAny()
          .ifPresent(wanted::remove);
    }
    while (wanted.size() < MapReplicas.wanted(live.size()) && !spare.isEmpty()) {
      wanted.add(member(map, spare.remove().id(), 0));
    }
    return wanted;
  }

  private void change(GroupId group, List<GroupMember> wanted) {
    List<GroupMember> now = host.members(group);
    if (changing.contains(group) || hasJustFailed(group)) {
      return;
    }
    Optional<List<GroupMember>> next =
        MemberChange.nextOfLeader(self, now, wanted, node -> isReady(node, group));
    if (next.isEmpty()) {
      if (MemberChange.isToGo(self, now, wanted)) {
        handOver(group, now);
      } else if (MemberChange.missing(now, wanted).isEmpty()) {
        problems.remove(group);
      }
      return;
    }
    changing.add(group);
    LOG.info("members of the group of {} change from {} to {}", group, now, next.get());
    host.changeMembers(group, next.get())
        .whenComplete((done, failure) -> changed(group, "members are " + next.get(), failure));
  }

  private void changed(GroupId group, String what, Throwable failure) {
    if (failure == null) {
      problems.remove(group);
      failedNanos.remove(group);
      LOG.info("the group of {}: {}", group, what);
    } else {
      failedNanos.put(group, Environment.nanoTime());
      problem(group, failure);
    }
    questions.forget(group);
    changing.remove(group);
  }

  /** This node leads, but is to leave the group: the member that precedes it is to lead. */
  private void handOver(GroupId group, List<GroupMember> candidates) {
    if (changing.contains(group) || hasJustFailed(group)) {
      return;
    }
    int next =
        candidates.stream()
            .filter(member -> member.node() != self)
            .max(Comparator.comparingInt(GroupMember::priority))
            .orElseThrow()
            .node();
    changing.add(group);
    LOG.info("storage node {} is to lead the group of {}, which this node leaves", next, group);
    host.giveLead(group, next, HAND_OVER)
        .whenComplete((done, failure) -> changed(group, "node " + next + " leads", failure));
  }

  private boolean hasJustFailed(GroupId group) {
    Long failed = failedNanos.get(group);
    return failed != null && Environment.nanoTime() - failed < RETRY_NANOS;
  }

  /** A node without its part of the group would only make the change time out. */
  private boolean isReady(int node, GroupId group) {
    return questions.at(node, group).map(Standing::has).orElse(false);
  }

  private void problem(GroupId group, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    Problem now =
        new Problem("the group of " + group + " is not as the cluster map wants it", "" + cause);
    Problem before = problems.put(group, now);
    if (!now.equals(before)) {
      LOG.warn("{}: {}", now.what(), now.toString(), failure);
    }
  }

  /** Problems that keep groups from the map's state; the steps are retried. */
  List<Problem> problems() {
    return List.copyOf(problems.values());
  }
}
