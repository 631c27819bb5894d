package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.health.Problem;
import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.api.Endpoint;
import io.gauss.storage.map.api.MapNode;
import io.gauss.storage.map.api.NodeState;
import io.gauss.storage.map.api.Role;
import io.gauss.storage.map.api.StreamGroup;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.MemberChange;
import io.gauss.storage.raft.RaftHost;
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
 * Makes this node's members of Raft groups what the cluster map says: joins groups, leaves them,
 * and, where this node leads, changes the members.
 *
 * <p><b>Which node may make a group.</b> A group is made by every one of its first members being
 * told the same list. Whoever is told a list votes by it, so that two nodes which are told a list
 * with a majority of new ones could elect a leader of an empty log, beside the group that exists.
 * So only the <em>founders</em> make a group: those that the map named when it placed the stream.
 * The map keeps them for ever, agreed like all else in it, hence no node needs to ask whether a
 * group exists, which those that know might be too dead to answer. All other replicas join with an
 * empty list: they vote for nobody and stand for nothing until the leader has made them members,
 * which it does only once they have what the others have. A founder that has no such group, either
 * has not made it yet, and makes it now, also when the map has moved the stream elsewhere meanwhile
 * (somebody has to make it, for the others to join); or it has left it, of which it has a durable
 * mark ({@link RaftHost#hasLeft}), and joins like any other. A founder that lost its disk has
 * neither group nor mark, but also a cluster that knows its number: it is not let in, and comes
 * back under another number, which founds nothing.
 *
 * <p><b>When a member leaves.</b> Only when the group's leader says that it is none any more, by a
 * committed list: until then the group may need it for a majority. A leader that is to leave hands
 * over the lead first.
 *
 * <p>{@link #reconcile} is for one thread, and is called again and again; it does not wait for
 * other nodes. The rest is thread-safe.
 */
final class GroupReconciler {
  private static final Logger LOG = LoggerFactory.getLogger(GroupReconciler.class);

  private static final GroupId MAP = GroupId.clusterMap();

  /** More replicas of the map make it no safer, but slower. */
  private static final int MAP_REPLICAS = 5;

  private static final int LEADER_PRIORITY = 2;
  private static final int PRIORITY = 1;

  /** Commands wait meanwhile. */
  private static final Duration HAND_OVER = Duration.ofSeconds(1);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** This node's replicas of streams. */
  interface Replicas {
    boolean has(int stream);

    /** Takes part in the stream's group, and lets the pages follow. */
    void add(int stream, List<GroupMember> members);

    /** Takes part no more, and forgets how far the pages are with the stream. */
    void remove(int stream);
  }

  private final int self;
  private final RaftHost host;
  private final Replicas replicas;
  private final GroupQuestions questions;
  private final Set<GroupId> changing = ConcurrentHashMap.newKeySet();
  private final Map<GroupId, Long> failedNanos = new ConcurrentHashMap<>();
  private final Map<GroupId, Problem> problems = new ConcurrentHashMap<>();

  GroupReconciler(int self, RaftHost host, Replicas replicas, GroupQuestions questions) {
    this.self = self;
    this.host = host;
    this.replicas = replicas;
    this.questions = questions;
  }

  /**
   * Does what is to be done now to come nearer to the map. Needs the newest map that this node
   * knows. An old one is safe, though a node that has one and leads may undo a change until it has
   * the new one: a node leaves a group only when that group's leader says so.
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
        // Others do not talk to it any more, so it cannot find out who may take its place.
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

  /** Whether the cluster has declared this node dead, or done without it. */
  private boolean isOver(ClusterMap map) {
    return map.node(self).filter(node -> !node.isLive()).isPresent();
  }

  /**
   * Whether this node takes itself for a member of the map's group and is none: another one took
   * its place while it was dead. Such a member is of no use, not even to become one again.
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

  /** Whether the group's leader says that this node is no member, for good. */
  private boolean isOut(List<Integer> others, GroupId id) {
    return others.stream()
        .filter(node -> node != self)
        .map(node -> questions.at(node, id))
        .flatMap(Optional::stream)
        .anyMatch(s -> s.leads() && s.settled() && !s.members().contains(self));
  }

  // ---- members

  /** The same on every node, since it is taken from the map alone. */
  private static List<GroupMember> members(ClusterMap map, List<Integer> nodes, int leader) {
    List<GroupMember> members = new ArrayList<>();
    for (int id : nodes) {
      members.add(member(map, id, id == leader ? LEADER_PRIORITY : PRIORITY));
    }
    return members;
  }

  /**
   * The same members. While the one that should lead cannot, because it is silent, its disk is full
   * or its log damaged, priorities stay as they are: somebody else was given the lead.
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
   * Members of the map's own group: those that it has, but a dead one makes room for one that is
   * alive and no member, and further ones while there is room for them, an odd number in all. With
   * nobody to take its place a dead one stays: it may be back soon, and fewer members would not
   * bear more failures. One whose place is taken already stays no longer: a leader that leaves is a
   * member beside its successor until another one leads.
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
    int most = Math.min(MAP_REPLICAS, live.size());
    int odd = most % 2 == 0 ? most - 1 : most;
    if (wanted.size() % 2 == 0) {
      wanted.stream()
          .filter(member -> map.node(member.node()).filter(node -> !node.isLive()).isPresent())
          .findAny()
          .ifPresent(wanted::remove);
    }
    while (wanted.size() < odd && !spare.isEmpty()) {
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
      failedNanos.put(group, System.nanoTime());
      problem(group, failure);
    }
    questions.forget(group);
    changing.remove(group);
  }

  /** This node leads, and is to be a member no more: whoever precedes it is to lead. */
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
    return failed != null && System.nanoTime() - failed < RETRY_NANOS;
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

  /** What keeps groups from being as the map says; it is tried again. */
  List<Problem> problems() {
    return List.copyOf(problems.values());
  }
}
