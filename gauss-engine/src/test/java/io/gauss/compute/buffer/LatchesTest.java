package io.gauss.compute.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LatchesTest {
  private static final int FRAMES = 3;
  private static final long PAGE = 100;

  @Test
  void sharedOnesGoTogetherAndExclusiveOnesAlone() {
    Frames frames = new Frames(8);
    Latches latches = new Latches(frames);
    assertTrue(latches.tryShared(1));
    assertTrue(latches.tryShared(1));
    assertFalse(latches.tryExclusive(1));
    latches.releaseShared(1);
    latches.releaseShared(1);
    assertTrue(latches.tryExclusive(1));
    assertFalse(latches.tryShared(1));
    assertFalse(latches.tryExclusiveIfIdle(1));
    latches.releaseExclusive(1);
    assertTrue(latches.tryExclusiveIfIdle(1));
  }

  @Test
  void everyExclusiveReleaseRaisesTheVersion() {
    Frames frames = new Frames(8);
    Latches latches = new Latches(frames);
    latches.tryShared(2);
    latches.releaseShared(2);
    assertEquals(0, frames.latch(2) / Latches.VERSION_STEP);
    latches.tryExclusive(2);
    latches.releaseExclusive(2);
    assertEquals(1, frames.latch(2) / Latches.VERSION_STEP);
  }

  /**
   * Threads of both kinds take a few latches in turn while frames change their page when nobody
   * wants them. Plain counters show every overlap; a lost wake-up would show as a test that does
   * not end.
   */
  @Test
  void nobodyOverlapsAndNobodyIsForgotten() throws InterruptedException {
    long seed = Seeds.next();
    Frames frames = new Frames(FRAMES);
    for (int f = 0; f < FRAMES; f++) {
      frames.link(f, PAGE + f);
    }
    Latches latches = new Latches(frames);
    int[] holders = new int[FRAMES * 16]; // > 0 exclusive; changed under the exclusive latch only
    long[] counters = new long[FRAMES * 16];
    long[] expected = new long[FRAMES];
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 12; t++) {
      Random random = new Random(seed + t);
      Runnable work =
          () -> {
            try {
              long[] mine = new long[FRAMES];
              for (int i = 0; i < 20_000; i++) {
                step(frames, latches, holders, counters, random, mine);
              }
              synchronized (expected) {
                for (int f = 0; f < FRAMES; f++) {
                  expected[f] += mine[f];
                }
              }
            } catch (Throwable e) {
              failure.compareAndSet(null, e);
            }
          };
      threads.add(t % 3 == 0 ? Thread.ofPlatform().start(work) : Thread.ofVirtual().start(work));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get(), () -> "failed: " + failure.get());
    for (int f = 0; f < FRAMES; f++) {
      assertEquals(expected[f], counters[f * 16]);
      assertEquals(0, frames.latch(f) & (Latches.TAKEN | Latches.QUEUED | Latches.FAIR));
    }
  }

  private static void step(
      Frames frames, Latches latches, int[] holders, long[] counters, Random random, long[] mine) {
    int frame = random.nextInt(FRAMES);
    boolean exclusive = random.nextInt(3) == 0;
    if (random.nextInt(50) == 0) {
      if (latches.tryExclusiveIfIdle(frame)) {
        // The frame gets another page, as eviction does; it comes back at the next chance.
        try {
          long page = frames.pageId(frame);
          synchronized (frames) {
            frames.unlink(frame, page);
            frames.link(frame, page == PAGE + frame ? PAGE + frame + FRAMES : PAGE + frame);
          }
        } finally {
          latches.releaseExclusive(frame);
        }
      }
      return;
    }
    if (!latches.acquire(frame, frames.pageId(frame), exclusive)) {
      return;
    }
    int at = frame * 16;
    try {
      assertEquals(0, holders[at]);
      if (exclusive) {
        holders[at] = 1;
        counters[at]++;
        mine[frame]++;
      }
      if (random.nextInt(100) == 0) {
        Thread.yield();
      }
      assertEquals(exclusive ? 1 : 0, holders[at]);
    } finally {
      if (exclusive) {
        holders[at] = 0;
        latches.releaseExclusive(frame);
      } else {
        latches.releaseShared(frame);
      }
    }
  }
}
