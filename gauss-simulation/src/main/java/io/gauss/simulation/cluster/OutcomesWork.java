package io.gauss.simulation.cluster;

import io.gauss.common.error.SqlState;
import io.gauss.common.history.History.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Transactions in every way in which they can be sent, forwarded or not: what clients were told of
 * their outcome, {@code gauss_txn_status}, and what is there agree.
 */
final class OutcomesWork implements Workload {
  private static final Set<SqlState> NOTHING_DONE =
      Set.of(
          SqlState.SERIALIZATION_FAILURE,
          SqlState.DEADLOCK_DETECTED,
          SqlState.IN_FAILED_SQL_TRANSACTION);

  private final Map<Integer, Outcome> outcomes = new TreeMap<>();
  private final Map<Integer, String> xids = new TreeMap<>();
  private int keys;

  @Override
  public List<String> tables() {
    return List.of("CREATE TABLE outcomes (k int PRIMARY KEY)");
  }

  @Override
  public int clients() {
    return 2;
  }

  @Override
  public void turn(Visit visit) {
    ForwardedConnection forwarded = visit.random().nextBoolean() ? visit.forwarded() : null;
    for (int i = 1 + visit.random().nextInt(3); i > 0 && !isBroken(visit, forwarded); i--) {
      int key = ++keys;
      outcomes.put(key, Outcome.OPEN); // until it is known
      outcomes.put(key, send(visit, forwarded, key));
      if (forwarded == null) {
        visit.rollBack();
      } else if (!forwarded.isBroken() && forwarded.inBlock()) {
        visit.ask(forwarded, "ROLLBACK");
      }
    }
    if (forwarded != null) {
      forwarded.close();
    }
  }

  private static boolean isBroken(Visit visit, ForwardedConnection forwarded) {
    return forwarded == null ? visit.connection().isBroken() : forwarded.isBroken();
  }

  private Outcome send(Visit visit, ForwardedConnection forwarded, int key) {
    String insert = "INSERT INTO outcomes VALUES (" + key + ")";
    return switch (visit.random().nextInt(6)) {
      case 0 -> outcome(ask(visit, forwarded, insert));
      case 1 -> outcome(ask(visit, forwarded, "BEGIN; " + insert + "; COMMIT"));
      case 2 -> outcome(ask(visit, forwarded, insert + "; DELETE FROM outcomes WHERE k = -1"));
      case 3 -> {
        visit.abandon(visit.random().nextBoolean() ? insert : "BEGIN; " + insert);
        yield Outcome.OPEN;
      }
      default -> inBlock(visit, forwarded, key, insert);
    };
  }

  private Outcome inBlock(Visit visit, ForwardedConnection forwarded, int key, String insert) {
    Answer begun = ask(visit, forwarded, "BEGIN");
    if (!begun.succeeded()) {
      if (!isBroken(visit, forwarded)) {
        // Drivers do not wait for the answer to BEGIN: the statement has been sent already.
        ask(visit, forwarded, insert);
      }
      return Outcome.ABORTED;
    }
    if (visit.random().nextBoolean()) {
      Answer xid = ask(visit, forwarded, "SELECT gauss_current_xid()");
      if (!xid.succeeded()) {
        return Outcome.ABORTED;
      }
      xids.put(key, xid.rows().getFirst());
    }
    if (!ask(visit, forwarded, insert).succeeded()) {
      return Outcome.ABORTED;
    }
    return switch (visit.random().nextInt(4)) {
      case 0 -> {
        ask(visit, forwarded, "ROLLBACK");
        yield Outcome.ABORTED;
      }
      case 1 -> outcome(ask(visit, forwarded, "COMMIT; BEGIN"));
      default -> outcome(ask(visit, forwarded, "COMMIT"));
    };
  }

  private static Answer ask(Visit visit, ForwardedConnection forwarded, String text) {
    return forwarded == null ? visit.ask(text) : visit.ask(forwarded, text);
  }

  /** Of a text that commits. */
  private static Outcome outcome(Answer answer) {
    if (answer.succeeded()) {
      return Outcome.COMMITTED;
    }
    return NOTHING_DONE.contains(answer.error()) ? Outcome.ABORTED : Outcome.OPEN;
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    Set<String> there = new HashSet<>(Workers.must(connection, "SELECT k FROM outcomes").rows());
    outcomes.forEach(
        (key, outcome) -> {
          boolean isThere = there.contains(Integer.toString(key));
          if (outcome != Outcome.OPEN && isThere != (outcome == Outcome.COMMITTED)) {
            wrong.accept(
                "row %d is %s, but its client knows that it is %s"
                    .formatted(key, isThere ? "there" : "not there", outcome));
          }
        });
    xids.forEach(
        (key, xid) -> {
          String status =
              Workers.must(connection, "SELECT gauss_txn_status(" + xid + ")").rows().getFirst();
          boolean isThere = there.contains(Integer.toString(key));
          if (!status.equals(isThere ? "committed" : "aborted")) {
            wrong.accept(
                "transaction %s of row %d, which is %s, is called %s"
                    .formatted(xid, key, isThere ? "there" : "not there", status));
          }
        });
  }
}
