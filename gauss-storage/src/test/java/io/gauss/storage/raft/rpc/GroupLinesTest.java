package io.gauss.storage.raft.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.storage.raft.GroupNodes;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/** Nothing of a group overtakes what waits for the disk, and groups do not wait for each other. */
class GroupLinesTest {
  private static final ByteString ONE = ByteString.copyFromUtf8("one");
  private static final ByteString TWO = ByteString.copyFromUtf8("two");

  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final GroupLines lines = new GroupLines(threads::add);

  private void run(ByteString group, String what) {
    lines.run(group, () -> false, () -> done.add(what));
  }

  @Test
  void whatFollowsInTheGroupWaits() {
    run(ONE, "a");
    run(ONE, "b");
    run(TWO, "c");
    assertEquals(2, threads.size());
    threads.remove().run();
    assertEquals(List.of("a", "b"), done);
    threads.remove().run();
    assertEquals(List.of("a", "b", "c"), done);
  }

  @Test
  void aGroupIsIdleWhenNothingOfItWaitsOrRuns() {
    assertTrue(lines.isIdle(ONE));
    List<Boolean> within = new ArrayList<>();
    lines.run(ONE, () -> false, () -> within.add(lines.isIdle(ONE)));
    assertFalse(lines.isIdle(ONE));
    assertTrue(lines.isIdle(TWO));
    threads.remove().run();
    assertEquals(List.of(false), within);
    assertTrue(lines.isIdle(ONE));
  }

  @Test
  void aTaskThatFailsHoldsNothingUp() {
    lines.run(
        ONE,
        () -> false,
        () -> {
          throw new IllegalStateException("on purpose");
        });
    lines.run(
        ONE,
        () -> false,
        () -> {
          throw new AssertionError("on purpose");
        });
    run(ONE, "a");
    threads.remove().run();
    assertEquals(List.of("a"), done);
  }

  /** A disk may hang for long, and a leader sends its entries again every few seconds. */
  @Test
  void whatNobodyWaitsForIsForgotten() {
    AtomicBoolean isOver = new AtomicBoolean();
    WeakReference<byte[]> held = hold(isOver::get);
    isOver.set(true);
    run(ONE, "a");
    GroupNodes.await(
        "the message to be forgotten",
        () -> {
          System.gc();
          return held.get() == null;
        });
    threads.remove().run();
    assertEquals(List.of("a"), done);
  }

  private WeakReference<byte[]> hold(BooleanSupplier isVoid) {
    byte[] message = new byte[1];
    lines.run(ONE, isVoid, () -> done.add("of " + message.length + " byte"));
    return new WeakReference<>(message);
  }

  @Test
  void whenTheThreadsHaveEndedTheSenderHearsIt() {
    GroupLines ended =
        new GroupLines(
            task -> {
              throw new RejectedExecutionException("ended");
            });
    assertThrows(
        RejectedExecutionException.class, () -> ended.run(ONE, () -> false, () -> done.add("a")));
    assertTrue(ended.isIdle(ONE));
    assertEquals(List.of(), done);
  }
}
