package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.TwoNodes.HERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE;
import static io.gauss.compute.pgwire.TwoNodes.THERE_IS_BETTER;
import static io.gauss.compute.pgwire.TwoNodes.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many of a session's transactions are looked at, to find out where they belong. */
@Timeout(300)
class ForwardChoiceTest {
  /** Of so many transactions one in sixteen is drawn. */
  private static final int MANY = 600;

  @TempDir Path directory;

  /** Says where a transaction belongs, and hears what came of it. */
  private static final class Hearing implements BetterNode {
    private final AtomicInteger went = new AtomicInteger();
    private final AtomicInteger stayed = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile long template; // 0 = not compared, all go
    private volatile boolean stays; // all of them, by their templates

    @Override
    public int better(String text, List<?> parameters) {
      asked.incrementAndGet();
      return text.startsWith(THERE_IS_BETTER) ? THERE : NOT_KNOWN;
    }

    @Override
    public boolean stays(String text) {
      return stays;
    }

    @Override
    public long template(String text) {
      return template;
    }

    @Override
    public void looked(String text, boolean elsewhere) {
      (elsewhere ? went : stayed).incrementAndGet();
    }
  }

  @Test
  void whatStaysIsHardlyLookedAt() throws Exception {
    Hearing route = new Hearing();
    try (TwoNodes nodes = new TwoNodes(directory)) {
      nodes.reroutes(HERE).route(route);
      try (Connection client = nodes.ready()) {
        assertTrue(route.went.get() > 0);
        assertEquals(8, wentOf(8, client, route, true, nodes.reroutes(HERE).gain()));
        assertEquals(0, wentOf(8, client, route, false, nodes.reroutes(HERE).gain()));

        int asked = route.asked.get();
        for (int i = 0; i < 10 * LookRate.ENOUGH; i++) {
          run(client, "SELECT v FROM t");
        }
        int more = route.asked.get() - asked;
        assertTrue(more < 4 * LookRate.ENOUGH, more + " asked");
        route.stays = true;
        for (int i = 0; i < MANY; i++) {
          run(client, "SELECT v FROM t");
        }
        int drawn = route.asked.get() - asked - more;
        assertTrue(drawn > 0, "those that are looked at are not drawn again by their template");
        route.stays = false;
        route.template = 0;
        int went = route.went.get();
        while (route.went.get() == went) { // until one of the few that are looked at goes
          run(client, THERE_IS_BETTER + "SELECT v FROM t");
        }
        assertEquals(8, wentOf(8, client, route, true, nodes.reroutes(HERE).gain()));
      }
    }
  }

  /** A transaction that comes with the one before it is looked at again when that is answered. */
  @Test
  void whatIsLookedAtAgainIsNotDrawnAgain() throws Exception {
    Hearing route = new Hearing();
    try (TwoNodes nodes = new TwoNodes(directory)) {
      nodes.reroutes(HERE).route(route);
      try (WireClient client = nodes.wireClient()) {
        int rounds = 0;
        for (int i = 0; i < 8; i++) {
          for (int stays = 0; stays < LookRate.ENOUGH; stays++) {
            client.query("SELECT v FROM t");
          }
          int went = route.went.get();
          while (route.went.get() == went && rounds < MANY) {
            client.send(
                WireMessages.query("SELECT 1"),
                WireMessages.query(THERE_IS_BETTER + "SELECT v FROM t"));
            client.readUntilReady();
            client.readUntilReady();
            rounds++;
          }
        }
        assertTrue(rounds < MANY, "one in 16 goes, 8 times; not one in 256");
      }
    }
  }

  /** Of a session, and a template, of which hardly any is looked at else. */
  @Test
  void inATrialAllGoThatStayForWantOfAGain() throws Exception {
    Hearing route = new Hearing();
    try (TwoNodes nodes = new TwoNodes(directory)) {
      nodes.reroutes(HERE).route(route);
      nodes.reroutes(HERE).timeOfDay(() -> time(false));
      try (Connection client = nodes.ready()) {
        wentOf(LookRate.ENOUGH, client, route, false, nodes.reroutes(HERE).gain());
        route.stays = true;
        long forwarded = nodes.counts().forwarded(THERE);
        for (int i = 0; i < MANY; i++) {
          run(client, THERE_IS_BETTER + "SELECT v FROM t");
        }
        long alone = nodes.counts().forwarded(THERE) - forwarded;
        assertTrue(alone < MANY / 8, alone + " went");
        nodes.reroutes(HERE).timeOfDay(() -> time(true));
        for (int i = 0; i < LookRate.ENOUGH; i++) {
          run(client, THERE_IS_BETTER + "SELECT v FROM t");
        }
        assertEquals(
            LookRate.ENOUGH, nodes.counts().forwarded(THERE) - forwarded - alone, "in the trial");
      }
    }
  }

  /** Its like go, and after the trial again. */
  @Test
  void inATrialOfStayingNoneGoes() throws Exception {
    Hearing route = new Hearing();
    try (TwoNodes nodes = new TwoNodes(directory)) {
      nodes.reroutes(HERE).route(route);
      try (Connection client = nodes.ready()) {
        wentOf(1, client, route, true, nodes.reroutes(HERE).gain());
        long millis = 0;
        while (!ForwardingTrials.takesPart(ForwardingTrials.scheduledToStay(millis), THERE)) {
          millis += ForwardingTrials.PERIOD_MILLIS;
        }
        long trial = millis;
        nodes.reroutes(HERE).timeOfDay(() -> trial);
        long forwarded = nodes.counts().forwarded(THERE);
        long compared = nodes.counts().stayed(RerouteCounts.Reason.COMPARED);
        for (int i = 0; i < LookRate.ENOUGH; i++) {
          run(client, THERE_IS_BETTER + "SELECT v FROM t");
        }
        assertEquals(forwarded, nodes.counts().forwarded(THERE));
        assertEquals(
            compared + LookRate.ENOUGH, nodes.counts().stayed(RerouteCounts.Reason.COMPARED));
        nodes.reroutes(HERE).timeOfDay(() -> time(false));
        for (int i = 0; i < LookRate.ENOUGH; i++) {
          run(client, THERE_IS_BETTER + "SELECT v FROM t");
        }
        long went = nodes.counts().forwarded(THERE) - forwarded;
        assertTrue(went > LookRate.ENOUGH / 2, went + " went");
      }
    }
  }

  /** A time at which what belongs to the other node takes part in a trial, or not. */
  private static long time(boolean ofTrial) {
    long millis = 0;
    while (ForwardingTrials.takesPart(ForwardingTrials.scheduled(millis), THERE) != ofTrial) {
      millis += ForwardingTrials.PERIOD_MILLIS;
    }
    return millis;
  }

  /** However many groups of messages it has, and whether or not its first one was looked at. */
  @Test
  void eachTransactionThatStaysIsCountedOnce() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory)) {
      nodes.reroutes(HERE).route(new Hearing());
      try (WireClient client = nodes.wireClient()) {
        for (int i = 0; i < LookRate.ENOUGH; i++) {
          client.query("SELECT v FROM t"); // from now on few are looked at
        }
        long before = stayed(nodes);
        for (int i = 0; i < MANY; i++) {
          client.ask(
              WireMessages.parse("", "SELECT v FROM t"),
              WireMessages.describe('S', ""),
              WireMessages.sync());
          client.query("BEGIN");
          client.query("SHOW work_mem");
          client.query("SELECT v FROM t");
          client.query("COMMIT");
        }
        assertEquals(before + MANY, stayed(nodes));
      }
    }
  }

  private static long stayed(TwoNodes nodes) {
    return nodes.counts().stayed(RerouteCounts.Reason.BEST_HERE)
        + nodes.counts().stayed(RerouteCounts.Reason.NOT_KNOWN);
  }

  /**
   * Of transactions that belong to the other node, how many are said to go; of all others it is
   * said that they stay, but for a few that are forwarded to be compared.
   *
   * @param pays whether those of this template were faster there
   */
  private static int wentOf(
      int count, Connection client, Hearing route, boolean pays, ForwardingGain gain)
      throws SQLException {
    route.template = pays ? 7 : 8;
    long kind = ForwardingGain.kind(route.template, 0);
    gain.choose(kind, true, 1, ForwardingTrials.Trial.NONE);
    for (int i = 0; i < ForwardingGain.ENOUGH; i++) {
      gain.took(kind, ForwardingGain.Choice.FORWARD, TimeUnit.HOURS.toNanos(pays ? 1 : 2));
      gain.took(kind, ForwardingGain.Choice.COMPARE, TimeUnit.HOURS.toNanos(pays ? 2 : 1));
    }
    int went = route.went.get();
    int stayed = route.stayed.get();
    for (int i = 0; i < count; i++) {
      run(client, THERE_IS_BETTER + "SELECT v FROM t");
    }
    assertEquals(pays, stayed == route.stayed.get());
    return route.went.get() - went;
  }
}
