package io.gauss.memory.coherence;

import io.gauss.memory.coherence.DirectoryAction.Ask;
import io.gauss.memory.coherence.DirectoryAction.Confirmed;
import io.gauss.memory.coherence.DirectoryAction.Grant;
import io.gauss.memory.coherence.DirectoryAction.Revoke;
import io.gauss.memory.coherence.DirectoryAction.Share;
import io.gauss.memory.coherence.DirectoryAction.Trace;
import io.gauss.memory.coherence.DirectoryAction.Transfer;
import io.gauss.memory.coherence.DirectoryEvent.Confirm;
import io.gauss.memory.coherence.DirectoryEvent.Died;
import io.gauss.memory.coherence.DirectoryEvent.DropBytes;
import io.gauss.memory.coherence.DirectoryEvent.Kept;
import io.gauss.memory.coherence.DirectoryEvent.Left;
import io.gauss.memory.coherence.DirectoryEvent.NotTaken;
import io.gauss.memory.coherence.DirectoryEvent.Refused;
import io.gauss.memory.coherence.DirectoryEvent.Release;
import io.gauss.memory.coherence.DirectoryEvent.ReportedLate;
import io.gauss.memory.coherence.DirectoryEvent.Revoked;
import io.gauss.memory.coherence.DirectoryEvent.Want;
import io.gauss.memory.coherence.DirectoryPage.State;
import java.util.ArrayList;
import java.util.List;

/**
 * The directory of a page at its home: one transfer at a time, requests in the order in which they
 * came.
 *
 * <pre>
 *            read, write                 write                     confirmed
 *   FREE ------------------> OWNED ------------------> MOVING ------------------> OWNED
 *    ^ \                       |                          |  one of the two died
 *    |  \ bytes given back     | given back               v
 *    |   +---> SHARED <--------+                       ASKING ---> OWNED or FREE
 *    |            | write
 *    |            v    all revoked
 *    +------- REVOKING ----------> OWNED
 * </pre>
 *
 * <p>Reads of an owned page are forwarded to the owner and change nothing here. An owner that no
 * longer has the page when the read arrives refuses it. Since its messages arrive in order, the
 * home knows by then where the page has gone.
 *
 * <p>Pure and without state.
 */
public final class DirectoryTable {
  private DirectoryTable() {}

  /** The state after an event, and the actions to take, in order. */
  public record Step(DirectoryPage page, List<DirectoryAction> actions) {}

  /**
   * @param base the numbers given here are above it, and so above those of earlier homes of the
   *     page (rule 17). The page's own number is below it while a transfer is under way of which
   *     this home knows from a report
   */
  public static Step step(DirectoryPage page, DirectoryEvent event, long base) {
    Building next = new Building(page, base);
    switch (event) {
      case Want want -> next.want(want);
      case Refused refused -> next.want(new Want(refused.slot(), Mode.READ));
      case Confirm confirm -> next.confirm(confirm);
      case Release release -> next.release(release);
      case Revoked revoked -> next.revoked(revoked);
      case Died died -> next.died(died.slot());
      case Kept kept -> next.kept(kept);
      case Left left -> next.left(left);
      case NotTaken notTaken -> next.notTaken(notTaken);
      case ReportedLate late -> next.reportedLate(late.slot());
      case DropBytes drop -> next.dropBytes();
    }
    return new Step(next.page(), List.copyOf(next.actions));
  }

  /** The next state while it is being made. */
  private static final class Building {
    private final List<DirectoryAction> actions = new ArrayList<>(2);
    private final long base;
    private State state;
    private int owner;
    private int taker;
    private long number;
    private long sharers;
    private long lsn;
    private boolean hasBytes;
    private List<Want> waiting;

    Building(DirectoryPage page, long base) {
      this.base = base;
      state = page.state();
      owner = page.owner();
      taker = page.taker();
      number = page.number();
      sharers = page.sharers();
      lsn = page.lsn();
      hasBytes = page.hasBytes();
      waiting = page.waiting();
    }

    DirectoryPage page() {
      return new DirectoryPage(state, owner, taker, number, sharers, lsn, hasBytes, waiting);
    }

    private long nextNumber() {
      number = Math.max(number, base) + 1;
      return number;
    }

    void want(Want want) {
      switch (state) {
        case FREE -> giveTo(want.slot());
        case SHARED -> {
          if (want.mode() == Mode.READ) {
            sharers = Slots.with(sharers, want.slot());
            actions.add(new Grant(want.slot(), false, nextNumber(), hasBytes, lsn));
          } else {
            revokeFor(want.slot());
          }
        }
        case OWNED -> forward(want);
        case MOVING, REVOKING, ASKING -> {
          if (!waiting.contains(want)) {
            List<Want> longer = new ArrayList<>(waiting);
            longer.add(want);
            waiting = List.copyOf(longer);
          }
        }
      }
    }

    private void forward(Want want) {
      if (want.slot() == owner) {
        return; // repeated request; it has got the page since
      }
      if (want.mode() == Mode.READ) {
        actions.add(new Share(owner, want.slot(), nextNumber()));
      } else {
        state = State.MOVING;
        taker = want.slot();
        actions.add(new Transfer(owner, taker, nextNumber()));
      }
    }

    /** No other node has the page. */
    private void giveTo(int slot) {
      actions.add(new Grant(slot, true, nextNumber(), hasBytes, lsn));
      owned(slot);
    }

    private void owned(int slot) {
      state = State.OWNED;
      owner = slot;
      taker = 0;
      sharers = Slots.NONE;
      hasBytes = false; // out of date as soon as the owner writes
    }

    private void revokeFor(int slot) {
      long others = Slots.without(sharers, slot);
      if (others == Slots.NONE) {
        giveTo(slot);
        return;
      }
      state = State.REVOKING;
      taker = slot;
      sharers = others; // the taker's own copy is current until it has the page
      long revoked = nextNumber();
      Slots.forEach(others, reader -> actions.add(new Revoke(reader, revoked)));
    }

    void revoked(Revoked revoked) {
      if (state == State.REVOKING && revoked.number() == number) {
        sharers = Slots.without(sharers, revoked.slot());
        whenAllAreRevoked();
      }
    }

    private void whenAllAreRevoked() {
      if (sharers != Slots.NONE) {
        return;
      }
      if (taker != 0) {
        giveTo(taker);
      } else {
        free();
      }
      resume();
    }

    void confirm(Confirm confirm) {
      if (isUnderWay(confirm.number()) && confirm.taker() == taker) {
        if (owner != 0) {
          actions.add(new Confirmed(owner, number));
        }
        lsn = Math.max(lsn, confirm.lsn());
        owned(taker);
        resume();
      }
    }

    private boolean isUnderWay(long transfer) {
      return (state == State.MOVING || state == State.ASKING) && transfer == number;
    }

    /**
     * From the owner; from the giver, whose order to give the page away has crossed this message;
     * or from the taker, which has the page before this home knows it: the home learned of the
     * transfer from a report, or the taker could not use the bytes (rule 33).
     */
    void release(Release release) {
      boolean itsOwners =
          state == State.OWNED && release.owner() == owner && release.number() <= number;
      boolean insteadOfTransfer =
          (state == State.MOVING || state == State.ASKING) && release.owner() == owner;
      boolean afterTransfer = isUnderWay(release.number()) && release.owner() == taker;
      if (!itsOwners && !insteadOfTransfer && !afterTransfer) {
        return;
      }
      if (afterTransfer && owner != 0) {
        actions.add(new Confirmed(owner, number)); // before anyone is granted the page
      }
      int next = insteadOfTransfer ? taker : 0;
      lsn = Math.max(lsn, release.lsn()); // a page that could not be read comes back without one
      hasBytes = release.hasBytes();
      free();
      if (next != 0) {
        giveTo(next);
      }
      resume();
    }

    /** No node has it; readers may get it from here when there are bytes. */
    private void free() {
      state = hasBytes ? State.SHARED : State.FREE;
      owner = 0;
      taker = 0;
      sharers = Slots.NONE;
    }

    void died(int dead) {
      waiting = waiting.stream().filter(want -> want.slot() != dead).toList();
      switch (state) {
        case FREE -> {}
        case SHARED -> sharers = Slots.without(sharers, dead);
        case OWNED -> {
          if (owner == dead) {
            free();
          }
        }
        case REVOKING -> {
          sharers = Slots.without(sharers, dead);
          taker = taker == dead ? 0 : taker;
          whenAllAreRevoked();
        }
        case MOVING, ASKING -> diedInTransfer(dead);
      }
    }

    private void diedInTransfer(int dead) {
      if (dead == owner) {
        owner = 0;
        askOrGiveUp(taker);
      } else if (dead == taker) {
        taker = 0;
        askOrGiveUp(owner);
      }
    }

    private void askOrGiveUp(int survivor) {
      if (survivor == 0) {
        free(); // both are dead: page stores have all of both
        resume();
      } else {
        state = State.ASKING;
        actions.add(new Ask(survivor, number));
      }
    }

    void kept(Kept kept) {
      if (state == State.ASKING && kept.number() == number && kept.slot() == owner) {
        owned(owner);
        resume();
      }
    }

    void left(Left left) {
      if (state == State.ASKING && left.number() == number && left.slot() == owner) {
        lsn = Math.max(lsn, left.lsn());
        free();
        resume();
      }
    }

    void notTaken(NotTaken notTaken) {
      if (!isUnderWay(notTaken.number())) {
        return;
      }
      boolean isTaker = notTaken.slot() == taker;
      if (state == State.ASKING && isTaker) {
        giveTo(taker);
      } else if (state == State.ASKING && notTaken.slot() == owner) {
        free(); // the giver knows that the dead taker had the page, and has forgotten it
      } else if (isTaker) {
        actions.add(new Confirmed(owner, number));
        free();
      } else {
        return;
      }
      resume();
    }

    void reportedLate(int slot) {
      if (state == State.MOVING && taker == slot) {
        actions.add(new Trace(owner, taker, number));
      }
    }

    void dropBytes() {
      if (state == State.SHARED && sharers == Slots.NONE) {
        state = State.FREE;
      }
      hasBytes = false;
    }

    /** Serves waiting requests until an operation is under way again. */
    private void resume() {
      List<Want> turn = waiting;
      waiting = List.of();
      for (Want want : turn) {
        want(want);
      }
    }
  }
}
