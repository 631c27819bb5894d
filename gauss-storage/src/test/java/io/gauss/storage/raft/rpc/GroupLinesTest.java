package io.gauss.storage.raft.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/** Nothing of a group overtakes what waits for the disk, and groups do not wait for each other. */
class GroupLinesTest {
  private static final ByteString ONE = ByteString.copyFromUtf8("one");
  private static final ByteString TWO = ByteString.copyFromUtf8("two");

  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final GroupLines lines = new GroupLines(threads::add);

  private void run(ByteString group, boolean mayBlock, String what) {
    lines.run(group, mayBlock, () -> done.add(what));
  }

  @Test
  void whatDoesNotBlockRunsAtOnce() {
    run(ONE, false, "a");
    assertEquals(List.of("a"), done);
  }

  @Test
  void whatFollowsInTheGroupWaitsBehindWhatMayBlock() {
    run(ONE, true, "a");
    run(ONE, false, "b");
    run(TWO, false, "c");
    assertEquals(List.of("c"), done);
    threads.remove().run();
    assertEquals(List.of("c", "a", "b"), done);
    run(ONE, false, "d");
    assertEquals(List.of("c", "a", "b", "d"), done);
    assertEquals(0, threads.size());
  }

  @Test
  void whoDoesNotWantToWaitHearsThatSomethingWaits() {
    run(ONE, true, "a");
    assertFalse(lines.runNow(ONE, () -> done.add("b")));
    assertTrue(lines.runNow(TWO, () -> done.add("c")));
    assertEquals(List.of("c"), done);
  }

  @Test
  void aTaskThatFailsHoldsNothingUp() {
    lines.run(
        ONE,
        true,
        () -> {
          throw new IllegalStateException("on purpose");
        });
    run(ONE, false, "a");
    threads.remove().run();
    assertEquals(List.of("a"), done);
  }

  @Test
  void whenTheThreadsHaveEndedTheSenderHearsIt() {
    GroupLines ended =
        new GroupLines(
            task -> {
              throw new RejectedExecutionException("ended");
            });
    assertThrows(RejectedExecutionException.class, () -> ended.run(ONE, true, () -> done.add("a")));
    ended.run(ONE, false, () -> done.add("b"));
    assertEquals(List.of("b"), done);
  }
}
