package io.gauss.compute.txn;

import io.gauss.common.id.Xid;
import io.gauss.compute.txn.TransactionActivity.AdvisoryWait;
import io.gauss.compute.txn.TransactionActivity.HeldLock;
import io.gauss.compute.txn.TransactionActivity.RowWait;
import io.gauss.compute.txn.TransactionActivity.TableWait;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import java.util.ArrayList;
import java.util.List;

/** How many wait, for tests that look at several nodes. */
public final class WaitCounts {
  private WaitCounts() {}

  /**
   * Waits that only another transaction can end. One for a row of another node counts when it has
   * reached that node, and a turn that is over on one side only may count for a moment. One for a
   * table counts when somebody has the table's lock, or waits for it as long: a node that merely
   * fetches the lock's lease from its home is about to go on by itself.
   */
  public static int standing(List<Transactions> nodes) {
    List<TransactionActivity> all = new ArrayList<>();
    List<Advisory> advisory = new ArrayList<>();
    int rows = 0;
    for (Transactions node : nodes) {
      rows += node.links().rowWaits().size();
      for (Transaction session : node.sessions()) {
        TransactionActivity activity = session.activity();
        session
            .advisoryLocks()
            .forEach(held -> advisory.add(new Advisory(session, held.name(), held.mode(), true)));
        if (activity != null) {
          if (activity.waiting() instanceof AdvisoryWait wait) {
            advisory.add(new Advisory(session, wait.name(), wait.mode(), false));
          }
          all.add(activity);
          boolean isHere =
              activity.waiting() instanceof RowWait wait
                  && Xid.slot(wait.xid()) == node.clock().node();
          rows += isHere ? 1 : 0;
        }
      }
    }
    return rows + standingForTables(all) + standingForAdvisory(advisory);
  }

  /** An advisory lock that a session has, or waits for. */
  private record Advisory(Transaction session, LockName name, LockMode mode, boolean isHeld) {
    private boolean excludes(Advisory other) {
      return session != other.session
          && name.equals(other.name)
          && (mode == LockMode.EXCLUSIVE || other.mode == LockMode.EXCLUSIVE);
    }
  }

  private static int standingForAdvisory(List<Advisory> all) {
    List<Advisory> inTheWay = new ArrayList<>(all.stream().filter(Advisory::isHeld).toList());
    List<Advisory> open = new ArrayList<>(all.stream().filter(one -> !one.isHeld).toList());
    int waiting = open.size();
    boolean more = true;
    while (more) {
      List<Advisory> standing =
          open.stream().filter(one -> inTheWay.stream().anyMatch(one::excludes)).toList();
      inTheWay.addAll(standing);
      more = open.removeAll(standing);
    }
    return waiting - open.size();
  }

  private static int standingForTables(List<TransactionActivity> all) {
    List<HeldLock> waitedFor = new ArrayList<>();
    boolean[] stands = new boolean[all.size()];
    boolean more = true;
    while (more) {
      more = false;
      for (int i = 0; i < stands.length; i++) {
        TransactionActivity waiter = all.get(i);
        if (!stands[i]
            && waiter.waiting() instanceof TableWait wait
            && (isHeld(wait, waiter, all)
                || waitedFor.stream().anyMatch(wanted -> excludes(wanted, wait)))) {
          stands[i] = true;
          more = true;
          waitedFor.add(new HeldLock(wait.tableOid(), wait.mode()));
        }
      }
    }
    return waitedFor.size();
  }

  private static boolean isHeld(
      TableWait wait, TransactionActivity waiter, List<TransactionActivity> all) {
    return all.stream()
        .filter(holder -> holder != waiter)
        .flatMap(holder -> holder.locks().stream())
        .anyMatch(held -> excludes(held, wait));
  }

  private static boolean excludes(HeldLock held, TableWait wait) {
    return held.tableOid() == wait.tableOid() && held.mode().conflictsWith(wait.mode());
  }
}
