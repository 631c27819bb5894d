package io.gauss.compute.pgwire;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.Session;

/**
 * Where the next transaction of a client's session belongs, and whether it pays to forward it
 * there. Belongs to the connection's event loop.
 */
final class ForwardChoice {
  private final Reroutes reroutes;
  private final Session session;
  private final BatchScan scan;
  private final WaitedTime waited;
  private final LookRate rate = new LookRate();

  /** The last transaction that was looked at was drawn for that, or has turned out to go. */
  private boolean wasDrawn;

  /** The next look is at the same transaction, and not to be drawn again. */
  private boolean isAgain;

  ForwardChoice(Reroutes reroutes, Session session, WaitedTime waited) {
    this.reroutes = reroutes;
    this.session = session;
    this.waited = waited;
    this.scan = new BatchScan(session.moves());
  }

  /**
   * Where the transaction belongs that begins in the input. To find that out costs a good part of
   * what a short query does: of a session whose transactions stay, most are not looked at. One that
   * is drawn for it is not drawn a second time, because of its template or when it is looked at
   * {@linkplain #again again}: that would be one in thousands, and nobody would notice for long
   * that the session's transactions belong elsewhere by now.
   *
   * @param isPinned whether the session may not leave this node, for what it has done elsewhere
   * @param now ns
   * @return as {@link BatchScan#look}
   */
  int look(InputBuffer in, BetterNode route, boolean isPinned, long now) {
    boolean isDrawn = isAgain;
    isAgain = false;
    if (!isDrawn) {
      if (!rate.looks(route.version(), Environment.random().nextInt(), now)) {
        return hardlyLookedAt();
      }
      isDrawn = rate.isLow();
    }
    RerouteCounts.Reason stays = isPinned ? RerouteCounts.Reason.PINNED : session.moves().stays();
    int answer = stays == null ? scan.look(in, route, isDrawn) : BetterNode.STAY;
    wasDrawn = isDrawn || answer > 0;
    if (answer <= 0 && answer != BatchScan.MORE) {
      count(stays, answer);
    }
    boolean isStaying = answer == BetterNode.STAY || answer == BetterNode.NOT_KNOWN;
    if (stays == null && isStaying) {
      stays(route);
    }
    if (isStaying || answer > 0) {
      rate.decided(now);
    }
    return answer;
  }

  private int hardlyLookedAt() {
    if (session.transactionStatus() == 'I') { // a block was counted at its BEGIN
      reroutes.counts().countStayed(RerouteCounts.Reason.BEST_HERE);
    }
    return BetterNode.STAY;
  }

  /** The decision has to wait: for more input, or until earlier answers have left. */
  void again() {
    isAgain = wasDrawn;
  }

  private void stays(BetterNode route) {
    route.looked(scan.decidedBy(), false);
    rate.stays();
  }

  private void goes(BetterNode route) {
    route.looked(scan.decidedBy(), true);
    rate.goes();
  }

  private void count(RerouteCounts.Reason stays, int answer) {
    if (stays != null && session.transactionStatus() == 'I') {
      reroutes.counts().countStayed(stays);
    } else if (stays == null && answer == BetterNode.STAY) {
      reroutes.counts().countStayed(RerouteCounts.Reason.BEST_HERE);
    } else if (answer == BetterNode.NOT_KNOWN) {
      reroutes.counts().countStayed(RerouteCounts.Reason.NOT_KNOWN);
    }
  }

  /**
   * Whether the transaction that was looked at stays although it belongs to another node.
   *
   * @param answer of {@link #look}
   * @param started when it was looked at, ns
   */
  boolean isBetterOffHere(BetterNode route, int answer, long started) {
    int lead = BetterNode.lead(answer);
    long kind = ForwardingGain.kind(route.template(scan.decidedBy()), lead);
    ForwardingGain.Choice choice =
        reroutes.gain().choose(kind, lead != 1, Environment.random().nextInt());
    boolean goes = choice == ForwardingGain.Choice.FORWARD || choice == ForwardingGain.Choice.TRY;
    waited.begin(kind, goes, started);
    switch (choice) {
      case FORWARD -> {
        goes(route);
        return false;
      }
      case TRY -> {
        return false; // says nothing of its like
      }
      case COMPARE -> {
        reroutes.counts().countStayed(RerouteCounts.Reason.COMPARED);
        session.moves().compares();
        goes(route);
      }
      case STAY -> {
        reroutes.counts().countStayed(RerouteCounts.Reason.NO_GAIN);
        stays(route);
      }
    }
    return true;
  }
}
