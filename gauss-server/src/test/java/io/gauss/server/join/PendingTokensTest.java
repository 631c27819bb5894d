package io.gauss.server.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

  private static final int NODE = 2;

  @TempDir Path directory;
  @TempDir Path machine;
  @TempDir Path other;
  private PendingTokens tokens;
  private JoinToken token;

  @BeforeEach
  void give() {
    tokens = new PendingTokens(directory, new byte[32]);
    token = tokens.give("10.0.0.1", 7000, LATER, NOW);
  }

  private static JoinRequest request(JoinToken shown, Path asking) {
    return JoinRequest.of(
        shown, NodeCredentials.in(asking), new JoinRequest.Wish(List.of(), "10.0.0.2", 0));
  }

  /** Why it is refused; empty when it was good. */
  private Optional<String> take(JoinToken shown, Path asking, Instant now) {
    return take(request(shown, asking), now);
  }

  private Optional<String> take(JoinRequest request, Instant now) {
    try {
      tokens.use(request, NODE, now);
      return Optional.empty();
    } catch (JoinRefused e) {
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> take(Instant now) {
    return take(token, machine, now);
  }

  @Test
  void itIsGoodForOneMachine() {
    assertEquals(Optional.empty(), take(NOW));
    assertEquals(Optional.of(UNKNOWN), take(token, other, NOW));
  }

  /** Its process was killed, or the other one's, or the answer got lost. */
  @Test
  void aMachineThatDoesNotKnowWhetherItWasTakenInAsksAgainAndIsTheSameNode() {
    assertEquals(0, tokens.check(request(token, machine), NOW));
    assertEquals(Optional.empty(), take(NOW));
    PendingTokens later = new PendingTokens(directory, new byte[32]); // its node was started again
    assertEquals(NODE, later.check(request(token, machine), NOW));
    assertEquals(Optional.empty(), take(NOW));
    assertEquals(Optional.of("the token has expired"), take(LATER));
  }

  @Test
  void aMachineIsTheSameOnlyIfItHasThePrivateKey() {
    assertEquals(Optional.empty(), take(NOW));
    JoinRequest own = request(token, machine);
    JoinRequest pretended =
        new JoinRequest(
            own.version(),
            own.token(),
            own.secret(),
            own.key(),
            request(token, other).proof(),
            own.roles(),
            own.host(),
            own.replaces());
    assertEquals(Optional.of(UNKNOWN), take(pretended, NOW));
  }

  @Test
  void whatIsDamagedIsNoTokenAndHindersNobody() throws IOException {
    try (var found = Files.list(directory)) {
      Files.writeString(found.findAny().orElseThrow(), "");
    }
    assertEquals(Optional.of(UNKNOWN), take(NOW));
    token = tokens.give("10.0.0.1", 7000, LATER, NOW);
    assertEquals(Optional.empty(), take(NOW));
  }

  @Test
  void lookingAtItDoesNotUseItUp() {
    tokens.check(request(token, other), NOW);
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
    byte[] guess = token.secret().clone();
    guess[0] ^= 1;
    assertEquals(Optional.of(UNKNOWN), take(with(token.id(), guess), machine, NOW));
    assertEquals(Optional.of(UNKNOWN), take(with(token.id() + 1, token.secret()), machine, NOW));
    assertEquals(Optional.empty(), take(NOW));
  }

  private JoinToken with(long id, byte[] secret) {
    return new JoinToken(
        token.expires(), id, secret, token.fingerprint(), token.host(), token.port());
  }

  @Test
  void ofSeveralThatTakeItAtOnceOneWins() throws Exception {
    int takers = 8;
    List<JoinRequest> requests = new ArrayList<>();
    for (int i = 0; i < takers; i++) {
      requests.add(request(token, Files.createDirectory(other.resolve("" + i))));
    }
    CountDownLatch begin = new CountDownLatch(1);
    ConcurrentLinkedQueue<Boolean> outcomes = new ConcurrentLinkedQueue<>();
    Thread[] threads = new Thread[takers];
    for (int i = 0; i < takers; i++) {
      JoinRequest request = requests.get(i);
      threads[i] =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      begin.await();
                      outcomes.add(take(request, NOW).isEmpty());
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
