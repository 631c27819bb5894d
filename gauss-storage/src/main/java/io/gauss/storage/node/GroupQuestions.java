package io.gauss.storage.node;

import io.gauss.common.error.GaussException;
import io.gauss.common.runtime.Environment;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Request;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.wire.GroupLayout;
import io.gauss.storage.wire.GroupLayout.Standing;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries the state of groups' members on other nodes, and answers the same query from other nodes.
 * Nothing waits: a caller gets the last answer if it is fresh, and otherwise a new query is sent.
 * Thread-safe.
 */
final class GroupQuestions {
  private static final Logger LOG = LoggerFactory.getLogger(GroupQuestions.class);

  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** If the last answer was the one before it. */
  private static final long SAME_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Asked(int node, GroupId group) {}

  /**
   * An answer and its arrival time.
   *
   * @param same as the one before
   */
  private record Heard(Standing standing, boolean same, long atNanos) {
    private boolean isOld(long now) {
      return now - atNanos > (same ? SAME_AGAIN_NANOS : AGAIN_NANOS);
    }
  }

  private final GroupHost host;
  private final Predicate<GroupId> mayLead;
  private final ByteBufAllocator allocator;
  private final Supplier<Map<Integer, Peer>> others;
  private final Map<Asked, Heard> heard = new ConcurrentHashMap<>();
  private final Map<Asked, Long> underWay = new ConcurrentHashMap<>();

  /**
   * @param mayLead whether this node is fit to lead a group
   * @param others the present connections to the other storage nodes
   */
  GroupQuestions(
      GroupHost host,
      Predicate<GroupId> mayLead,
      ByteBufAllocator allocator,
      Supplier<Map<Integer, Peer>> others) {
    this.host = host;
    this.mayLead = mayLead;
    this.allocator = allocator;
    this.others = others;
  }

  void register(Handlers handlers) {
    handlers.on(StorageMessages.GROUP, this::answer);
  }

  private void answer(Request request) {
    try {
      Standing standing =
          GroupId.of(GroupLayout.readQuestion(request.payload()))
              .filter(host.groups()::contains)
              .map(this::standing)
              .orElse(Standing.NONE);
      int bytes = GroupLayout.bytes(standing);
      request.reply(GroupLayout.write(allocator.directBuffer(bytes, bytes), standing));
    } catch (GaussException e) {
      request.fail(e.state(), e.getMessage());
    }
  }

  private Standing standing(GroupId group) {
    return new Standing(
        true,
        host.leads(group),
        host.areMembersSettled(group),
        mayLead(group),
        host.members(group).stream().map(GroupMember::node).collect(Collectors.toSet()));
  }

  /** Whether this node is fit to lead a group. */
  boolean mayLead(GroupId group) {
    return mayLead.test(group);
  }

  /** A node's recent answer; if there is none, returns empty and sends a query. */
  Optional<Standing> at(int node, GroupId group) {
    Asked about = new Asked(node, group);
    long now = Environment.nanoTime();
    Heard last = heard.get(about);
    if (last == null || last.isOld(now)) {
      ask(about, now);
    }
    return last == null || now - last.atNanos() > FRESH_NANOS
        ? Optional.empty()
        : Optional.of(last.standing());
  }

  private void ask(Asked about, long now) {
    Peer peer = others.get().get(about.node());
    Long since = underWay.get(about);
    if (peer == null || (since != null && now - since < TIMEOUT_NANOS)) {
      return;
    }
    underWay.put(about, now);
    ByteBuf question =
        GroupLayout.write(allocator.directBuffer(GroupLayout.QUESTION_BYTES), about.group().uuid());
    peer.call(StorageMessages.GROUP, question, TIMEOUT_NANOS)
        .whenComplete(
            (reply, failure) -> {
              underWay.remove(about);
              if (failure != null) {
                LOG.debug("node {} does not say how {} stands", about.node(), about.group());
                return;
              }
              try {
                heard(about, GroupLayout.read(reply));
              } catch (GaussException e) {
                LOG.warn("node {}: {}", about.node(), e.getMessage());
              } finally {
                reply.release();
              }
            });
  }

  private void heard(Asked about, Standing standing) {
    long now = Environment.nanoTime();
    heard.compute(
        about,
        (asked, last) ->
            new Heard(standing, last != null && last.standing().equals(standing), now));
  }

  /** A group has changed: earlier answers about it are discarded. */
  void forget(GroupId group) {
    heard.keySet().removeIf(about -> about.group().equals(group));
  }
}
