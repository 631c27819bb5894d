package io.gauss.memory.coherence;

import io.gauss.memory.coherence.HolderAction.AwaitDurable;
import io.gauss.memory.coherence.HolderAction.Report;
import io.gauss.memory.coherence.HolderAction.Send;
import io.gauss.memory.coherence.HolderAction.Tell;
import io.gauss.memory.coherence.HolderEvent.AskAgain;
import io.gauss.memory.coherence.HolderEvent.Asked;
import io.gauss.memory.coherence.HolderEvent.Confirmed;
import io.gauss.memory.coherence.HolderEvent.Copy;
import io.gauss.memory.coherence.HolderEvent.Denied;
import io.gauss.memory.coherence.HolderEvent.Died;
import io.gauss.memory.coherence.HolderEvent.Durable;
import io.gauss.memory.coherence.HolderEvent.Evict;
import io.gauss.memory.coherence.HolderEvent.Given;
import io.gauss.memory.coherence.HolderEvent.Granted;
import io.gauss.memory.coherence.HolderEvent.HomeLost;
import io.gauss.memory.coherence.HolderEvent.Need;
import io.gauss.memory.coherence.HolderEvent.Probed;
import io.gauss.memory.coherence.HolderEvent.Retain;
import io.gauss.memory.coherence.HolderEvent.Revoke;
import io.gauss.memory.coherence.HolderEvent.Revoked;
import io.gauss.memory.coherence.HolderEvent.Share;
import io.gauss.memory.coherence.HolderEvent.Spoiled;
import io.gauss.memory.coherence.HolderEvent.Traced;
import io.gauss.memory.coherence.HolderEvent.Transfer;
import io.gauss.memory.coherence.HolderEvent.TurnOver;
import io.gauss.memory.coherence.HolderPage.Goal;
import io.gauss.memory.coherence.HolderPage.Read;
import io.gauss.memory.coherence.HolderPage.Right;
import java.util.ArrayList;
import java.util.List;

/**
 * The state table of a page at a compute node.
 *
 * <pre>
 *                 copy                       granted, given
 *     NONE -----------------> SHARED -----------------------+
 *    ^ ^ ^                      |                           v
 *    | | | revoked, evicted     |      granted, given     OWNED <---- local writes, while
 *    | | +----------------------+   NONE ---------------->  | |        no node has a copy
 *    | |        evicted: copies revoked, log forced         | |
 *    | +----------------------------------------------------+ | transfer: copies revoked,
 *    |    confirmed                                           v log forced, page sent
 *    +---------------------------------------------------- LEAVING
 * </pre>
 *
 * <p>The caller changes the frame's right, under its latch, <i>before</i> it carries out the
 * actions, and reads the clock for their messages after that (rule 3).
 *
 * <p>Pure and without state.
 */
public final class HolderTable {
  private HolderTable() {}

  /** The state after an event, and the actions to take, in order. */
  public record Step(HolderPage page, List<HolderAction> actions) {}

  /**
   * @param self slot of this node
   * @param lsn of the page in the frame, or of the page that arrives; 0 when there is none
   */
  public static Step step(HolderPage page, HolderEvent event, int self, long lsn) {
    Building next = new Building(page, self, lsn);
    switch (event) {
      case Need need -> next.need(need.mode());
      case Retain retain -> next.retain();
      case TurnOver over -> next.turnOver();
      case Evict evict -> next.evict();
      case Durable durable -> next.durable();
      case Granted granted -> next.granted(granted);
      case Denied denied -> next.denied();
      case Share share -> next.share(share);
      case Transfer transfer -> next.transfer(transfer);
      case Confirmed confirmed -> next.confirmed(confirmed);
      case Asked asked -> next.asked(asked.number());
      case Traced traced -> next.traced(traced);
      case Probed probed -> next.probed(probed.number());
      case Copy copy -> next.copy(copy);
      case Given given -> next.given(given);
      case Spoiled spoiled -> next.spoiled(spoiled);
      case Revoke revoke -> next.revoke(revoke);
      case Revoked revoked -> next.revoked(revoked);
      case Died died -> next.died(died.slot());
      case HomeLost lost -> next.homeLost();
      case AskAgain ready -> next.askAgain();
    }
    return new Step(next.page(), List.copyOf(next.actions));
  }

  /** The next state while it is being made. */
  private static final class Building {
    private final int self;
    private final long lsn;
    private final List<HolderAction> actions = new ArrayList<>(2);
    private Right right;
    private long number;
    private int from;
    private long sharers;
    private long shareNumber;
    private Goal goal;
    private int taker;
    private long takeNumber;
    private List<Read> reads;
    private Mode want;

    Building(HolderPage page, int self, long lsn) {
      this.self = self;
      this.lsn = lsn;
      right = page.right();
      number = page.number();
      from = page.from();
      sharers = page.sharers();
      shareNumber = page.shareNumber();
      goal = page.goal();
      taker = page.taker();
      takeNumber = page.takeNumber();
      reads = page.reads();
      want = page.want();
    }

    HolderPage page() {
      return new HolderPage(
          right, number, from, sharers, shareNumber, goal, taker, takeNumber, reads, want);
    }

    // ---- local

    void need(Mode mode) {
      switch (right) {
        case NONE, LEAVING -> ask(mode);
        case SHARED -> {
          if (mode == Mode.WRITE) {
            ask(mode);
          }
        }
        case OWNED -> {
          if (mode == Mode.WRITE) {
            needToWrite();
          }
        }
      }
    }

    private void ask(Mode mode) {
      if (want == null) {
        want = mode;
        tell(new DirectoryEvent.Want(self, mode));
      }
    }

    private void needToWrite() {
      switch (goal) {
        case KEEP -> {
          if (sharers != Slots.NONE) {
            goal = Goal.WRITE;
            revokeAllBut(0);
          }
        }
        case RELEASE -> stopGivingAway(); // it is wanted after all
        case GIVE -> want = Mode.WRITE; // requested as soon as the page is given
        case TURN, WRITE -> {}
      }
    }

    void retain() {
      if (right == Right.OWNED && goal == Goal.KEEP && sharers == Slots.NONE) {
        goal = Goal.TURN;
      } else {
        need(Mode.WRITE);
      }
    }

    /** Readers may already have been ordered to drop their copies; that is awaited. */
    private void stopGivingAway() {
      if (goal == Goal.GIVE && Slots.has(sharers, taker)) {
        actions.add(new HolderAction.Revoke(taker, shareNumber)); // its copy had not been revoked
      }
      taker = 0;
      takeNumber = 0;
      want = null; // threads that waited to write get a turn
      goal = sharers == Slots.NONE ? Goal.TURN : Goal.WRITE;
    }

    void turnOver() {
      if (goal == Goal.TURN) {
        goal = Goal.KEEP;
        resume();
      }
    }

    /** Serves the requests of other nodes that arrived meanwhile. */
    private void resume() {
      if (taker != 0) {
        startToGive();
        return;
      }
      List<Read> turn = reads;
      reads = List.of();
      turn.forEach(read -> share(new Share(read.reader(), read.number())));
    }

    void evict() {
      if (right == Right.SHARED && want == null) {
        drop();
      } else if (right == Right.OWNED && goal == Goal.KEEP) {
        goal = Goal.RELEASE;
        revokeAllBut(0);
        whenRevoked();
      }
    }

    void durable() {
      if (right != Right.OWNED || !isRevoked()) {
        return;
      }
      if (goal == Goal.GIVE) {
        actions.add(new Send(taker, true, takeNumber));
        right = Right.LEAVING;
        number = takeNumber;
        noReaders();
        askAgain();
      } else if (goal == Goal.RELEASE) {
        tell(new DirectoryEvent.Release(self, number, lsn, true));
        drop();
      }
    }

    // ---- from the home

    void granted(Granted granted) {
      if (!granted.owned()) {
        if (want == Mode.READ && right == Right.NONE) {
          shared(HolderPage.HOME, granted.number());
        }
      } else if (want == null) {
        // The request was repeated and the need is over: nothing was read, nothing was changed.
        tell(new DirectoryEvent.Release(self, granted.number(), Math.max(lsn, 0), false));
        drop();
      } else {
        owned(granted.number());
      }
    }

    void denied() {
      want = null;
    }

    void share(Share share) {
      if (right != Right.OWNED) {
        tell(new DirectoryEvent.Refused(share.reader()));
      } else if (goal == Goal.KEEP) {
        sharers = Slots.with(sharers, share.reader());
        shareNumber = Math.max(shareNumber, share.number());
        actions.add(new Send(share.reader(), false, share.number()));
      } else if (goal == Goal.GIVE) {
        tell(new DirectoryEvent.Refused(share.reader())); // the home lets it wait for the taker
      } else {
        List<Read> longer = new ArrayList<>(reads);
        longer.add(new Read(share.reader(), share.number()));
        reads = List.copyOf(longer);
      }
    }

    void transfer(Transfer transfer) {
      if (right != Right.OWNED || transfer.number() <= number) {
        return; // given back meanwhile, of which the home is or will be informed
      }
      taker = transfer.taker();
      takeNumber = transfer.number();
      if (goal == Goal.KEEP || goal == Goal.RELEASE) {
        startToGive();
      }
    }

    private void startToGive() {
      boolean told = goal == Goal.RELEASE;
      goal = Goal.GIVE;
      refuseReads();
      if (!told) {
        revokeAllBut(taker); // its copy is current until it has the page
      }
      whenRevoked();
    }

    void confirmed(Confirmed confirmed) {
      if (right == Right.LEAVING && number == confirmed.number()) {
        drop();
      }
    }

    void asked(long transfer) {
      if (right == Right.OWNED && number < transfer) {
        if (takeNumber == transfer) {
          keepAfterAll();
        }
        tell(new DirectoryEvent.Kept(self, transfer));
      } else if (right == Right.LEAVING && number == transfer) {
        tell(new DirectoryEvent.Left(self, transfer, lsn));
        drop();
      } else if (right == Right.OWNED && number == transfer) {
        tell(confirm(transfer));
      } else {
        tell(new DirectoryEvent.NotTaken(self, transfer));
      }
    }

    private void keepAfterAll() {
      if (goal == Goal.GIVE) {
        stopGivingAway();
      } else {
        taker = 0;
        takeNumber = 0;
      }
    }

    /**
     * The page was sent before it was reported as leaving, so a probe always follows it. This node
     * need not be LEAVING any more: a copy from the taker has shown it that the page had arrived,
     * and only the home does not know.
     */
    void traced(Traced traced) {
      actions.add(new HolderAction.Probe(traced.taker(), traced.number()));
    }

    /**
     * Repeats a confirmation. The page may have been written since, and its LSN need not become
     * durable; that of its arrival the home has from the giver, or from the ends of the streams.
     */
    private DirectoryEvent confirm(long transfer) {
      return new DirectoryEvent.Confirm(self, transfer, 0);
    }

    // ---- from others

    /** The page, if the giver sent it, has arrived before this. */
    void probed(long transfer) {
      if (right == Right.OWNED && number == transfer) {
        tell(confirm(transfer));
      } else {
        tell(new DirectoryEvent.NotTaken(self, transfer));
      }
    }

    void copy(Copy copy) {
      // A copy that no thread waits for stays unused. Its owner still counts this node as a reader,
      // and is later informed that the copy is dropped. A copy from an owner also shows that the
      // page which this node gave has arrived.
      if (want == Mode.READ && (right == Right.NONE || right == Right.LEAVING)) {
        shared(copy.owner(), copy.number());
      }
    }

    void given(Given given) {
      boolean wanted = want != null;
      owned(given.number());
      tell(new DirectoryEvent.Confirm(self, given.number(), lsn));
      if (!wanted) {
        goal = Goal.RELEASE;
        whenRevoked();
      }
    }

    void spoiled(Spoiled spoiled) {
      if (spoiled.owned()) {
        // The page is this node's all the same, and neither the home nor the giver would ever hear
        // otherwise. Without its bytes it is of no use here: it goes to the home, and whoever wants
        // it, this node included, reads it from a page store.
        drop();
        tell(new DirectoryEvent.Release(self, spoiled.number(), spoiled.lsn(), false));
        askAgain();
      } else if (spoiled.from() == HolderPage.HOME && want == Mode.READ) {
        // Every reader would get the home's bytes as they are. They go with the next owner.
        want = Mode.WRITE;
        askAgain();
      } else {
        want = null;
      }
    }

    void revoke(Revoke revoke) {
      if (right == Right.SHARED && from == revoke.from() && number <= revoke.number()) {
        drop();
      }
      if (revoke.from() == HolderPage.HOME) {
        tell(new DirectoryEvent.Revoked(self, revoke.number()));
      } else {
        actions.add(new HolderAction.Revoked(revoke.from(), revoke.number()));
      }
    }

    void revoked(Revoked revoked) {
      if (right == Right.OWNED && revoked.number() == shareNumber) {
        sharers = Slots.without(sharers, revoked.reader());
        whenRevoked();
      }
    }

    /** The operation under way continues when no reader is left. */
    private void whenRevoked() {
      if (!isRevoked()) {
        return;
      }
      switch (goal) {
        case WRITE -> goal = Goal.TURN;
        case GIVE, RELEASE -> actions.add(new AwaitDurable());
        case KEEP, TURN -> {}
      }
    }

    private boolean isRevoked() {
      return (goal == Goal.GIVE ? Slots.without(sharers, taker) : sharers) == Slots.NONE;
    }

    // ---- members

    void died(int dead) {
      if (right == Right.SHARED && from == dead) {
        drop();
      }
      reads = reads.stream().filter(read -> read.reader() != dead).toList();
      if (right == Right.OWNED) {
        sharers = Slots.without(sharers, dead);
        if (taker == dead) {
          keepAfterAll(); // another process may get its slot, and the transfer is not for that one
        }
        whenRevoked();
      }
      askAgain();
    }

    void homeLost() {
      switch (right) {
        case NONE -> {}
        case SHARED -> {
          if (from == HolderPage.HOME) {
            drop();
          }
        }
        case OWNED -> {
          reads = List.of(); // the requesters repeat their requests
          if (goal == Goal.GIVE || goal == Goal.RELEASE) {
            stopGivingAway();
          }
          taker = 0;
          takeNumber = 0;
          report(new HolderReport.Owns(self, number));
        }
        case LEAVING -> report(new HolderReport.Leaving(self, taker, number, lsn));
      }
    }

    void askAgain() {
      if (want != null && right != Right.OWNED) {
        tell(new DirectoryEvent.Want(self, want));
      }
    }

    // ---- steps of several

    private void shared(int owner, long share) {
      drop();
      right = Right.SHARED;
      want = null;
      from = owner;
      number = share;
    }

    private void owned(long transfer) {
      drop();
      right = Right.OWNED;
      want = null;
      number = transfer;
      goal = Goal.TURN;
    }

    /** The frame is no longer of use. The requested right is still to come. */
    private void drop() {
      refuseReads();
      right = Right.NONE;
      number = 0;
      from = 0;
      taker = 0;
      takeNumber = 0;
      noReaders();
    }

    private void noReaders() {
      refuseReads();
      sharers = Slots.NONE;
      shareNumber = 0;
      goal = Goal.KEEP;
    }

    private void refuseReads() {
      reads.forEach(read -> tell(new DirectoryEvent.Refused(read.reader())));
      reads = List.of();
    }

    private void revokeAllBut(int spared) {
      long told = spared == 0 ? sharers : Slots.without(sharers, spared);
      Slots.forEach(told, reader -> actions.add(new HolderAction.Revoke(reader, shareNumber)));
    }

    private void tell(DirectoryEvent what) {
      actions.add(new Tell(what));
    }

    private void report(HolderReport what) {
      actions.add(new Report(what));
    }
  }
}
