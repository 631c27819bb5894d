package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RefusedLoginsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(RefusedLogins.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicInteger counted = new AtomicInteger();
  private final RefusedLogins refused = new RefusedLogins(counted::incrementAndGet);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  private List<String> told() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private void refuse(String role) {
    refused.add(
        new InetSocketAddress("10.1.2.3", 4567),
        role,
        new GaussException(SqlState.INVALID_PASSWORD, "password authentication failed"));
  }

  @Test
  void addressRoleAndReasonAreTold() {
    refuse("ada");
    assertEquals(
        List.of("login refused: role \"ada\" from 10.1.2.3:4567: password authentication failed"),
        told());
  }

  @Test
  void allAreCountedAndOnlySomeAreTold() {
    for (int i = 0; i < 1_000; i++) {
      refuse("ada");
    }
    assertEquals(1_000, counted.get());
    assertEquals(20, told().size());
  }

  @Test
  void whatTheClientHasSentCannotForgeALine() {
    refuse("x\" from 1.2.3.4:5: all is well\n12:00:00 INFO nothing\u202E happened".repeat(9));
    String line = told().getFirst();
    assertFalse(line.contains("\n"), line);
    assertFalse(line.contains("\u202E"), line);
    assertTrue(line.length() < 400, line);
  }

  @Test
  void whoHasNotSaidWhoItIsIsToldToo() {
    refuse(null);
    assertTrue(told().getFirst().startsWith("login refused: role \"\" from"));
  }
}
