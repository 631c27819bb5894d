package io.gauss.compute.notify;

import io.gauss.common.id.Xid;
import io.gauss.compute.notify.wire.NotifyMessage;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * LISTENs that wait until all other nodes have heard to what this one listens, and until what was
 * under way here has gone. Under the lock of {@link Notifications}.
 */
final class ListenRounds {
  private final OtherNodes others;
  private final CommitTickets tickets;
  private final Channels channels;
  private final List<Round> rounds = new ArrayList<>();
  private long lastNumber; // of changes

  private static final class Round {
    private final long number;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private long missing; // other nodes, by bits of their slots
    private CommitTickets.Barrier barrier;

    private Round(long number) {
      this.number = number;
    }
  }

  ListenRounds(OtherNodes others, CommitTickets tickets, Channels channels) {
    this.others = others;
    this.tickets = tickets;
    this.channels = channels;
  }

  /** To what the sessions of this node listen. */
  NotifyMessage.Listens news() {
    return new NotifyMessage.Listens(lastNumber, channels.classes());
  }

  /**
   * A session begins to listen.
   *
   * @param isChanged whether other nodes have to be told
   * @return completes when all know; who does not wait any more cancels it
   */
  CompletableFuture<Void> begin(boolean isChanged) {
    giveUpCancelled();
    if (isChanged) {
      lastNumber++;
    }
    Round round = new Round(lastNumber);
    rounds.add(round);
    for (int slot = 1; slot <= Xid.MAX_SLOT; slot++) {
      if (others.isLive(slot) && others.of(slot).heard < lastNumber) {
        round.missing |= OtherNodes.bit(slot);
        others.send(slot, news());
      }
    }
    round.barrier = tickets.after(this::check);
    check();
    return round.done;
  }

  private void giveUpCancelled() {
    rounds.removeIf(
        round -> {
          if (round.done.isDone()) {
            round.barrier.giveUp();
          }
          return round.done.isDone();
        });
  }

  /** Sessions have ceased to listen. Nobody waits for that. */
  void tellAll() {
    lastNumber++;
    for (OtherNode other : others.all()) {
      others.send(other.slot, news());
    }
  }

  /** A node has heard of a change. */
  void heard(int slot, long number) {
    others.of(slot).heard = number;
    for (Round round : rounds) {
      if (number >= round.number) {
        round.missing &= ~OtherNodes.bit(slot);
      }
    }
    check();
  }

  void lost(int slot) {
    rounds.forEach(round -> round.missing &= ~OtherNodes.bit(slot));
    check();
  }

  private void check() {
    for (Iterator<Round> each = rounds.iterator(); each.hasNext(); ) {
      Round round = each.next();
      if (round.missing == 0 && round.barrier != null && round.barrier.isPast()) {
        each.remove();
        round.done.complete(null);
      }
    }
  }

  /** Number of LISTENs that wait. */
  int waiting() {
    return rounds.size();
  }
}
