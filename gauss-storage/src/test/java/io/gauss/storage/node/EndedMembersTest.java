package io.gauss.storage.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.raft.GroupHost;
import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMachine;
import io.gauss.storage.raft.GroupMember;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.RaftNodes;
import io.gauss.storage.raft.SumReplica;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member that Ratis closes because of an error in one of its threads. */
@Timeout(180)
class EndedMembersTest {
  private static final GroupId STREAM = GroupId.stream(7);
  private static final int FAILING = 1;

  @TempDir Path directory;
  private RaftNodes nodes;
  private volatile SumReplica replica;
  private final AtomicBoolean applyFails = new AtomicBoolean();
  private final AtomicBoolean writeFails = new AtomicBoolean();
  private final AtomicLong nanos = new AtomicLong(5);
  private final AtomicBoolean hasRoom = new AtomicBoolean();
  private final List<String> reasons = new ArrayList<>();

  private final class Failing extends GroupMachine {
    Failing() {
      super(
          replica =
              new SumReplica() {
                @Override
                public ByteBuffer apply(LogPosition at, ByteBuffer command) {
                  failIf(applyFails);
                  return super.apply(at, command);
                }
              });
    }

    @Override
    public CompletableFuture<Void> flush(long index) {
      failIf(writeFails);
      return super.flush(index);
    }
  }

  private static void failIf(AtomicBoolean once) {
    if (once.getAndSet(false)) {
      throw new IllegalStateException("made to fail");
    }
  }

  @BeforeEach
  void start() {
    nodes =
        new RaftNodes(
            3,
            directory,
            node -> group -> node == FAILING ? new Failing() : new GroupMachine(new SumReplica()));
    nodes.startAll();
    nodes.addGroup(STREAM);
    RaftNodes.await("node 0 to lead", () -> nodes.host(0).leads(STREAM));
    add(1);
    RaftNodes.await("node 1 to have it", () -> replica.sum() == 1);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private void add(long value) {
    nodes.add(STREAM, value);
  }

  private void assertItEndsAndIsBackAfterAStart() {
    EndedMembers members =
        new EndedMembers(nodes.host(FAILING), hasRoom::get, nanos::get, reasons::add);
    members.look();
    add(2);
    RaftNodes.await("the member's end", () -> nodes.host(FAILING).ended().contains(STREAM));
    assertTrue(nodes.host(0).ended().isEmpty());
    members.look();
    hasRoom.set(true);
    nanos.addAndGet(EndedMembers.AT_LEAST.toNanos() - 1);
    members.look();
    hasRoom.set(false);
    nanos.incrementAndGet();
    members.look();
    assertEquals(List.of(), reasons);
    hasRoom.set(true);
    members.look();
    assertEquals(1, reasons.size());
    nodes.stop(FAILING);
    nodes.start(FAILING);
    add(4);
    RaftNodes.await("node 1 to have all", () -> replica.sum() == 7);
    assertTrue(nodes.host(FAILING).ended().isEmpty());
  }

  /**
   * Whether it stands for election as one of the members that it knows: once the others have agreed
   * on a change, Ratis' leader sends nothing more to a member that goes, also when it has not sent
   * it the change. Only the cluster map tells it then.
   */
  private boolean hasHeardNothing() {
    GroupHost host = nodes.host(FAILING);
    return host.ended().isEmpty()
        && host.leader(STREAM).isEmpty()
        && host.areMembersSettled(STREAM);
  }

  private void tryToChange(List<GroupMember> to) {
    try {
      nodes.host(nodes.awaitLeader(STREAM)).setMembers(STREAM, to);
    } catch (GaussException itHasEndedMeanwhile) {
      assertEquals(SqlState.IO_ERROR, itHasEndedMeanwhile.state());
    }
  }

  /** It hears of nobody any more, and closes itself; its node removes it about then. */
  @Test
  void aMemberThatWasReplacedEndsNoProcess() {
    EndedMembers members =
        new EndedMembers(nodes.host(FAILING), () -> true, nanos::get, reasons::add);
    nanos.addAndGet(EndedMembers.AT_LEAST.toNanos());
    List<GroupMember> others = List.of(nodes.members().get(0), nodes.members().get(2));
    nodes.change(STREAM, others);
    RaftNodes.await(
        "the member's end",
        () -> {
          if (hasHeardNothing()) {
            tryToChange(nodes.members());
            tryToChange(others);
          }
          return nodes.host(FAILING).ended().contains(STREAM);
        });
    members.look();
    nodes.host(FAILING).removeGroup(STREAM);
    nanos.addAndGet(EndedMembers.AT_LEAST.toNanos());
    members.look();
    assertEquals(List.of(), reasons);
  }

  @Test
  void anErrorWhileItAppliesAnEntry() {
    applyFails.set(true);
    assertItEndsAndIsBackAfterAStart();
  }

  @Test
  void anErrorWhileItWritesItsLog() {
    writeFails.set(true);
    assertItEndsAndIsBackAfterAStart();
  }
}
