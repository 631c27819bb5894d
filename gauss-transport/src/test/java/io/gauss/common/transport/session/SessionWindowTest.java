package io.gauss.common.transport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.transport.session.ReceiveState.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The two state machines of a session, by themselves and against each other. */
class SessionWindowTest {
  private final SendWindow<String> window = new SendWindow<>();
  private final ReceiveState receiver = new ReceiveState();
  private final List<String> dropped = new ArrayList<>();

  @Test
  void nothingIsSentBeforeTheReceiverHasToldWhatItHas() {
    window.add("a");
    int attempt = window.begin();
    assertFalse(window.hasNext());
    assertNull(window.opened(attempt, 0, dropped::add));
    assertEquals("a", window.takeNext());
    assertFalse(window.hasNext());
  }

  @Test
  void aNewAttemptSendsAgainWhatTheReceiverDoesNotHave() {
    for (String message : List.of("a", "b", "c")) {
      window.add(message);
    }
    window.opened(window.begin(), 0, dropped::add);
    window.takeNext();
    window.takeNext();
    window.lost();
    window.opened(window.begin(), 1, dropped::add);
    assertEquals(List.of("a"), dropped);
    assertEquals(2, window.nextNumber());
    assertEquals("b", window.takeNext());
    assertEquals("c", window.takeNext());
  }

  @Test
  void acknowledgementsOfAnEarlierAttemptCountForNothing() {
    window.add("a");
    int first = window.begin();
    window.opened(first, 0, dropped::add);
    window.takeNext();
    window.begin();
    assertNull(window.acknowledged(first, 1, dropped::add));
    assertEquals(1, window.size());
  }

  @Test
  void aReceiverThatHasForgottenOrInventedMessagesIsFound() {
    window.add("a");
    window.opened(window.begin(), 0, dropped::add);
    window.takeNext();
    window.acknowledged(window.attempt(), 1, dropped::add);
    assertNotNull(window.opened(window.begin(), 0, dropped::add));
    assertNotNull(window.opened(window.begin(), 2, dropped::add));
  }

  @Test
  void theReceiverDeliversTheNextMessageOnly() {
    assertTrue(receiver.open(1));
    assertEquals(Verdict.DELIVER, receiver.receive(1, 1));
    assertEquals(Verdict.DUPLICATE, receiver.receive(1, 1));
    assertTrue(receiver.open(2));
    assertEquals(Verdict.STALE, receiver.receive(1, 2));
    assertEquals(Verdict.GAP, receiver.receive(2, 3));
    assertEquals(Verdict.STALE, receiver.receive(2, 2), "an attempt with a gap is over");
    assertFalse(receiver.open(2));
  }

  /** A message under way: lost when the connection breaks. */
  private record Sent(int attempt, long number, int message) {}

  private record Told(int attempt, long delivered) {}

  @Test
  void randomLossesNeitherLoseNorDoubleNorReorderAMessage() {
    for (long seed = 1; seed <= 500; seed++) {
      runRandomly(seed);
    }
  }

  private static void runRandomly(long seed) {
    Random random = new Random(seed);
    SendWindow<Integer> sender = new SendWindow<>();
    ReceiveState receiver = new ReceiveState();
    ArrayDeque<Sent> forth = new ArrayDeque<>();
    ArrayDeque<Told> back = new ArrayDeque<>();
    List<Integer> delivered = new ArrayList<>();
    List<Integer> released = new ArrayList<>();
    int total = 60;
    int added = 0;
    String trace = "seed " + seed;
    for (int step = 0; released.size() < total; step++) {
      assertTrue(step < 100_000, trace);
      int choice = random.nextInt(100);
      if (choice < 15 && added < total) {
        sender.add(added++);
      } else if (choice < 45 && sender.hasNext()) {
        forth.add(new Sent(sender.attempt(), sender.nextNumber(), sender.takeNext()));
      } else if (choice < 70 && !forth.isEmpty()) {
        Sent message = random.nextInt(20) == 0 ? forth.peek() : forth.poll();
        Verdict verdict = receiver.receive(message.attempt(), message.number());
        if (verdict == Verdict.DELIVER) {
          delivered.add(message.message());
        }
        if (random.nextInt(3) == 0) {
          back.add(new Told(receiver.attempt(), receiver.delivered()));
        }
      } else if (choice < 95 && !back.isEmpty()) {
        Told told = back.poll();
        String wrong =
            sender.isOpen()
                ? sender.acknowledged(told.attempt(), told.delivered(), released::add)
                : sender.opened(told.attempt(), told.delivered(), released::add);
        assertNull(wrong, trace);
      } else if (choice >= 97 || (forth.isEmpty() && back.isEmpty() && !sender.hasNext())) {
        // The connection breaks: messages under way are lost, except for some that are late.
        int late = random.nextInt(4);
        while (forth.size() > late) {
          forth.pollLast();
        }
        back.clear();
        sender.lost();
        if (receiver.open(sender.begin())) {
          back.add(new Told(receiver.attempt(), receiver.delivered()));
        }
      }
    }
    assertEquals(IntStream.range(0, total).boxed().toList(), delivered, trace);
    assertEquals(delivered, released, trace);
  }
}
