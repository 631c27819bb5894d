package io.gauss.compute.txn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.engine.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class XidCacheTest {
  @Test
  void whatIsFoundIsWhatWasPutLast() {
    Random random = new Random(Seeds.next());
    XidCache cache = new XidCache(16);
    Map<Long, Long> twin = new HashMap<>();
    int found = 0;
    for (int step = 0; step < 10_000; step++) {
      long xid = 1L + random.nextInt(200);
      if (random.nextBoolean()) {
        long value = 1L + random.nextInt(1000);
        cache.put(xid, value);
        twin.put(xid, value);
        assertEquals(value, cache.get(xid), "just put");
      } else if (cache.get(xid) != XidCache.UNKNOWN) {
        assertEquals(twin.get(xid), cache.get(xid));
        found++;
      }
    }
    assertTrue(found > 500, "three entries in each of 16 sets");
  }

  @Test
  void readersNeverFindAnothersValue() throws Exception {
    XidCache cache = new XidCache(2);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Void>> work = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        long seed = i;
        work.add(() -> putAndGet(cache, new Random(seed)));
      }
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
    }
  }

  private static Void putAndGet(XidCache cache, Random random) {
    for (int i = 0; i < 200_000; i++) {
      long xid = 1L + random.nextInt(20);
      if (random.nextInt(4) == 0) {
        cache.put(xid, xid * 1000);
      } else {
        long value = cache.get(xid);
        assertTrue(value == XidCache.UNKNOWN || value == xid * 1000, () -> xid + " -> " + value);
      }
    }
    return null;
  }

  @Test
  void answersStayUntilTheNextQuestionWhateverTheirNumber() {
    RemoteAnswers answers = new RemoteAnswers();
    answers.begin();
    for (long xid = 1; xid <= 5000; xid++) {
      answers.want(xid);
    }
    for (long xid = 1; xid <= 5000; xid++) {
      answers.put(xid, xid + 7);
    }
    answers.end();
    for (long xid = 1; xid <= 5000; xid++) {
      assertEquals(xid + 7, answers.get(xid));
    }
    answers.begin();
    assertEquals(RemoteAnswers.WANTED, answers.get(1), "too many to keep");
  }

  @Test
  void whatWasAskedForAndNotAnsweredIsForgotten() {
    RemoteAnswers answers = new RemoteAnswers();
    answers.begin();
    answers.want(3);
    answers.begin();
    for (int i = 0; i < answers.places(); i++) {
      assertEquals(0, answers.xidAt(i));
    }
  }
}
