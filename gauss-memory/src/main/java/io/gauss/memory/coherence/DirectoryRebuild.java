package io.gauss.memory.coherence;

import io.gauss.memory.coherence.DirectoryPage.State;
import io.gauss.memory.coherence.HolderReport.Leaving;
import io.gauss.memory.coherence.HolderReport.Owns;
import java.util.ArrayList;
import java.util.List;

/**
 * How a page's new home derives the entry from the reports of all live compute nodes. Each node
 * reports after it has installed all deaths. A page that no node reports is free: page stores have
 * all of it at the present ends of the streams (rule 18).
 */
public final class DirectoryRebuild {
  private DirectoryRebuild() {}

  /**
   * Whether an event that arrives before all nodes have reported is processed when they have. Nodes
   * do not repeat such an event. They repeat their requests, reports contain what other answers
   * said, and the home asks again for the rest (rule 33).
   */
  public static boolean isKept(DirectoryEvent event) {
    return switch (event) {
      case DirectoryEvent.Confirm confirm -> true;
      case DirectoryEvent.Release release -> true;
      case DirectoryEvent.Want want -> false;
      case DirectoryEvent.Refused refused -> false;
      case DirectoryEvent.Revoked revoked -> false;
      case DirectoryEvent.Kept kept -> false;
      case DirectoryEvent.Left left -> false;
      case DirectoryEvent.NotTaken notTaken -> false;
      case DirectoryEvent.Died died -> false;
      case DirectoryEvent.ReportedLate late -> false;
      case DirectoryEvent.DropBytes drop -> false;
    };
  }

  /**
   * A giver's report, as a home has to take it, which may see the lives of the taker's node earlier
   * or later than the giver.
   *
   * <p>A later life than the giver knows: all have installed the end of the one that got the page,
   * and the giver could not probe the later one. So the taker is dead, and the giver is asked. But
   * a taker that is dead for the giver alone counts as live: other nodes may have copies from it,
   * and page stores need not have all of its stream. Its death comes to the home when that is over
   * (rule 10), and the giver is asked then.
   *
   * @param takerEpoch the newest life of the taker's node that the giver has known, dead or not
   * @param presentEpoch the life of that node that is present at the home; 0 = none
   */
  public static Leaving leaving(Leaving report, int takerEpoch, int presentEpoch) {
    boolean isOver = presentEpoch == 0 || takerEpoch < presentEpoch;
    return isOver ? new Leaving(report.slot(), 0, report.number(), report.lsn()) : report;
  }

  /**
   * @param base numbers of this home are above it, and above all of any earlier home
   * @param live slots of the live nodes
   * @throws IllegalStateException when two nodes report ownership
   */
  public static DirectoryTable.Step of(List<HolderReport> reports, long base, long live) {
    Owns owner = null;
    Leaving newest = null;
    List<Leaving> leavings = new ArrayList<>();
    for (HolderReport report : reports) {
      switch (report) {
        case Owns owns -> {
          if (owner != null) {
            // Wrong reports from other nodes must not end this process: the page's bucket stays
            // shut, and both owners are named in the log.
            throw new IllegalStateException("law 2: two owners: " + owner + " and " + owns);
          }
          owner = owns;
        }
        case Leaving leaving -> {
          leavings.add(leaving);
          newest = newest == null || newest.number() < leaving.number() ? leaving : newest;
        }
      }
    }
    List<DirectoryAction> actions = new ArrayList<>();
    boolean hasArrived = newest == null || owner != null && owner.number() >= newest.number();
    for (Leaving leaving : leavings) {
      if (hasArrived || leaving != newest) {
        actions.add(new DirectoryAction.Confirmed(leaving.slot(), leaving.number()));
      }
    }
    if (owner != null) {
      return new DirectoryTable.Step(
          page(State.OWNED, owner.slot(), 0, Math.max(base, owner.number()), 0),
          List.copyOf(actions));
    }
    if (newest == null) {
      return new DirectoryTable.Step(DirectoryPage.free(base, 0), List.of());
    }
    boolean takerLives = Slots.has(live, newest.taker());
    actions.add(
        takerLives
            ? new DirectoryAction.Trace(newest.slot(), newest.taker(), newest.number())
            : new DirectoryAction.Ask(newest.slot(), newest.number()));
    return new DirectoryTable.Step(
        page(
            takerLives ? State.MOVING : State.ASKING,
            newest.slot(),
            takerLives ? newest.taker() : 0,
            newest.number(),
            newest.lsn()),
        List.copyOf(actions));
  }

  private static DirectoryPage page(State state, int owner, int taker, long number, long lsn) {
    return new DirectoryPage(state, owner, taker, number, Slots.NONE, lsn, false, List.of());
  }
}
