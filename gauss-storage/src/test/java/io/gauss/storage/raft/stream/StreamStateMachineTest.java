package io.gauss.storage.raft.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.LogPosition;
import io.gauss.storage.raft.ReplicaFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a replica of a stream has fetched is saved before its log begins anew. */
class StreamStateMachineTest {
  private static final int STREAM = 7;
  private static final StreamSnapshot FETCHED =
      new StreamSnapshot(STREAM, 3, 40, 100, 900, 5_000, 2, 2, 11, Subscriptions.NONE);

  @TempDir Path directory;

  private StreamStateMachine machine() {
    return new StreamStateMachine(
        GroupId.stream(STREAM),
        new StreamHooks(
            stream -> 0,
            (stream, leader, first) -> CompletableFuture.completedFuture(Optional.of(FETCHED))));
  }

  @Test
  void aStartAfterTheFetchBeginsThere() throws Exception {
    ReplicaFiles files = ReplicaFiles.in(directory);
    StreamStateMachine machine = machine();
    assertNull(machine.load(files));
    LogPosition at = machine.fetch(OptionalInt.empty(), new LogPosition(3, 41)).join();
    assertEquals(new LogPosition(3, 40), at);
    assertNull(machine.lastSnapshot(), "not taken up yet");
    StreamStateMachine next = machine();
    assertEquals(at, next.load(files));
    assertEquals(900, next.state().info().end());
    assertEquals(at, machine.takeUpFetched());
    assertEquals(900, machine.state().info().end());
  }
}
