package io.gauss.compute.pgwire;

import io.gauss.common.runtime.Environment;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.routing.RerouteCounts;
import io.gauss.compute.session.Session;

/**
 * Where the next transaction of a client's session belongs, and whether it pays to forward it
 * there. Belongs to the connection's event loop, except {@link #over}, which is for the thread that
 * runs the client's messages: no decision is made while one does.
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

  /** Why the transaction that was looked at stays, to be counted at its end; null = no reason. */
  private RerouteCounts.Reason reason;

  /** Transactions that had begun here when the last one was over. */
  private long begun;

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
   * that the session's transactions belong elsewhere by now. In a trial all of those are looked at
   * that may take part in it.
   *
   * @param isPinned whether the session may not leave this node, for what it has done elsewhere
   * @param now ns
   * @return as {@link BatchScan#look}
   */
  int look(InputBuffer in, BetterNode route, boolean isPinned, long now) {
    if (session.transactionStatus() == 'I') {
      over();
    }
    boolean isDrawn = isAgain;
    isAgain = false;
    if (!isDrawn) {
      boolean isDue = rate.looks(route.version(), Environment.random().nextInt(), now);
      boolean isTrial = (isDue || rate.isGainless()) && reroutes.isTrialOfGoing(route.version());
      if (!isDue && !isTrial) {
        reason = RerouteCounts.Reason.BEST_HERE;
        return BetterNode.STAY;
      }
      isDrawn = isTrial || rate.isLow();
    }
    RerouteCounts.Reason stays = isPinned ? RerouteCounts.Reason.PINNED : session.moves().stays();
    int answer = stays == null ? scan.look(in, route, isDrawn) : BetterNode.STAY;
    wasDrawn = isDrawn || answer > 0;
    if (answer != BatchScan.MORE) {
      note(stays, answer);
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

  /** What a later statement of the same transaction shows replaces what its BEGIN has. */
  private void note(RerouteCounts.Reason stays, int answer) {
    if (stays != null) {
      reason = stays;
    } else if (answer == BetterNode.STAY) {
      reason = RerouteCounts.Reason.BEST_HERE;
    } else if (answer == BetterNode.NOT_KNOWN) {
      reason = RerouteCounts.Reason.NOT_KNOWN;
    } else if (answer > 0) {
      reason = null; // it is forwarded, or counted by what prevents that
    }
  }

  /**
   * The session is outside a transaction: one that has run here is counted. Several groups of
   * messages may have been looked at for it, or none may have begun.
   */
  void over() {
    long now = session.moves().transactions();
    if (reason != null && now != begun) {
      reroutes.counts().countStayed(reason);
    }
    reason = null;
    begun = now;
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
    ForwardingTrials.Trial trial = reroutes.trial(BetterNode.slot(answer), route.version());
    ForwardingGain.Choice choice =
        reroutes.gain().choose(kind, lead != 1, Environment.random().nextInt(), trial);
    waited.begin(kind, choice, started);
    switch (choice) {
      case FORWARD -> {
        goes(route);
        return false;
      }
      case TRY, TOGETHER -> {
        return false; // says nothing of its like
      }
      case COMPARE -> {
        reroutes.counts().countStayed(RerouteCounts.Reason.COMPARED);
        session.moves().compares();
        goes(route);
      }
      case STAY_TOGETHER -> {
        // Its pages are used here as long as the trial lasts, and are not offered meanwhile.
        reroutes.counts().countStayed(RerouteCounts.Reason.COMPARED);
        goes(route);
      }
      case STAY -> {
        reroutes.counts().countStayed(RerouteCounts.Reason.NO_GAIN);
        route.looked(scan.decidedBy(), false);
        rate.staysForNoGain();
      }
    }
    return true;
  }
}
