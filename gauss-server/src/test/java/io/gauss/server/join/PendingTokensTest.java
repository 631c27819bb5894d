package io.gauss.server.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A token lets one node in, for some time. */
class PendingTokensTest {
  private static final Instant NOW = Instant.parse("2026-11-29T00:00:00Z");
  private static final Instant LATER = NOW.plus(Duration.ofMinutes(10));
  private static final String UNKNOWN = "the token was used already, or is not one of this cluster";

  @TempDir Path directory;
  private PendingTokens tokens;
  private JoinToken token;

  @BeforeEach
  void give() {
    tokens = new PendingTokens(directory, new byte[32]);
    token = tokens.give("10.0.0.1", 7000, LATER, NOW);
  }

  private static JoinRequest request(long id, byte[] secret) {
    return new JoinRequest(1, id, secret, new byte[0], List.of(), "10.0.0.2", 0);
  }

  /** Why it is refused; empty when it was good. */
  private Optional<String> take(long id, byte[] secret, Instant now) {
    try {
      tokens.use(request(id, secret), now);
      return Optional.empty();
    } catch (JoinRefused e) {
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> take(Instant now) {
    return take(token.id(), token.secret(), now);
  }

  @Test
  void itIsGoodOnce() {
    assertEquals(Optional.empty(), take(NOW));
    assertEquals(Optional.of(UNKNOWN), take(NOW));
  }

  @Test
  void lookingAtItDoesNotUseItUp() {
    tokens.check(request(token.id(), token.secret()), NOW);
    assertEquals(Optional.empty(), take(NOW));
  }

  @Test
  void itExpires() {
    assertEquals(Optional.empty(), take(LATER.minusSeconds(1)));
    token = tokens.give("10.0.0.1", 7000, LATER, NOW);
    assertEquals(Optional.of("the token has expired"), take(LATER));
  }

  @Test
  void aGuessedSecretIsRefusedAndUsesNothingUp() {
    byte[] other = token.secret().clone();
    other[0] ^= 1;
    assertEquals(Optional.of(UNKNOWN), take(token.id(), other, NOW));
    assertEquals(Optional.of(UNKNOWN), take(token.id() + 1, token.secret(), NOW));
    assertEquals(Optional.empty(), take(NOW));
  }

  @Test
  void ofSeveralThatTakeItAtOnceOneWins() throws InterruptedException {
    int takers = 8;
    CountDownLatch begin = new CountDownLatch(1);
    ConcurrentLinkedQueue<Boolean> outcomes = new ConcurrentLinkedQueue<>();
    Thread[] threads = new Thread[takers];
    for (int i = 0; i < takers; i++) {
      threads[i] =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      begin.await();
                      outcomes.add(take(NOW).isEmpty());
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(takers, outcomes.size());
    assertEquals(1, outcomes.stream().filter(won -> won).count());
  }

  @Test
  void nobodyCanMakeATokenOfWhatIsKept() throws IOException {
    try (var found = Files.list(directory)) {
      String kept = Files.readString(found.findAny().orElseThrow());
      assertFalse(kept.contains(HexFormat.of().formatHex(token.secret())));
    }
  }

  @Test
  void expiredOnesAreRemoved() throws IOException {
    tokens.give("10.0.0.1", 7000, LATER.plusSeconds(1), LATER);
    try (var found = Files.list(directory)) {
      assertEquals(1, found.count());
    }
  }
}
