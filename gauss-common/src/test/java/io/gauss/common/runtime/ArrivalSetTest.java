package io.gauss.common.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArrivalSetTest {
  private static final int SEED = 4;

  @Test
  void itsOrderIsThatInWhichElementsCame() {
    Random random = new Random(SEED);
    List<Object> objects = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      objects.add(new Object());
    }
    Set<Object> set = new ArrivalSet<>();
    Set<Object> twin = new LinkedHashSet<>();
    for (int i = 0; i < 2_000; i++) {
      Object object = objects.get(random.nextInt(objects.size()));
      if (random.nextBoolean()) {
        assertEquals(twin.add(object), set.add(object));
      } else {
        assertEquals(twin.remove(object), set.remove(object));
      }
      assertEquals(twin.size(), set.size());
      assertEquals(twin.contains(object), set.contains(object));
    }
    assertEquals(new ArrayList<>(twin), new ArrayList<>(set));
    assertEquals(new ArrayList<>(twin), set.stream().toList());
  }

  @Test
  void elementsMayComeAndGoWhileItIsIterated() {
    Set<String> set = new ArrivalSet<>();
    set.addAll(List.of("a", "b", "c"));
    List<String> seen = new ArrayList<>();
    Iterator<String> all = set.iterator();
    while (all.hasNext()) {
      seen.add(all.next());
      set.remove("c"); // not the next one, which the iterator may have already
      if (seen.size() == 1) {
        set.add("d");
      }
    }
    assertEquals(List.of("a", "b", "d"), seen);
  }

  @Test
  void iterationDoesNotRemove() {
    Set<String> set = new ArrivalSet<>();
    set.add("a");
    Iterator<String> all = set.iterator();
    all.next();
    assertThrows(UnsupportedOperationException.class, all::remove);
    set.clear();
    assertTrue(set.isEmpty());
    assertFalse(set.remove("a"));
  }

  /** Whoever is removed is gone from both halves, however adding and removing meet. */
  @Test
  void noElementStaysBehindWhenThreadsAddAndRemoveIt() throws Exception {
    Set<Integer> set = new ArrivalSet<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int own = t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    Random random = new Random(own);
                    for (int i = 0; i < 20_000; i++) {
                      int element = random.nextInt(3);
                      if (random.nextBoolean()) {
                        set.add(element);
                      } else {
                        set.remove(element);
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    List<Integer> left = new ArrayList<>(set);
    assertEquals(set.size(), left.size());
    left.forEach(set::remove);
    assertEquals(List.of(), new ArrayList<>(set));
  }
}
