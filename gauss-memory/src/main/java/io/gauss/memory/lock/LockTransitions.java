package io.gauss.memory.lock;

import io.gauss.memory.lock.GlobalLock.Lease;
import io.gauss.memory.lock.GlobalLock.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The transitions of a lock at its home, and the messages to nodes. A pure function of the lock and
 * an event. Between the home and each node, messages arrive once and in order (rule 14).
 *
 * <p>Fair: a request waits for conflicting leases and for earlier conflicting requests, so that a
 * continuous stream of readers cannot starve DDL. Only a request marked as ahead, from a
 * transaction that has the lock already, is checked against leases alone, since the earlier
 * requests may be waiting for that transaction.
 *
 * <p>A request for <em>now</em> is granted or denied. A lease at another node need not mean that a
 * transaction uses it: the release may be under way, and the client that gave the lock up may have
 * told the one that asks now. So the node is asked first; its answer comes behind its release. Only
 * for a moment after a home was lost, or somebody has given up waiting, may it be denied for what
 * is over: a repeated request is granted again, a withdrawn one still queues.
 */
public final class LockTransitions {
  private LockTransitions() {}

  /** The lock afterwards, and the messages to send. */
  public record Step(GlobalLock lock, List<LockAction> actions) {
    public Step {
      actions = List.copyOf(actions);
    }
  }

  /**
   * A node requests a mode. A repeated request is harmless: nodes repeat requests to a new home.
   * That home may be the same one that has started over, and recalled leases may be gone, so the
   * waiting requests are checked again.
   *
   * @param now whether it is denied when other transactions have the lock, or wait for it
   */
  public static Step request(
      GlobalLock lock, int epoch, long request, LockMode mode, boolean ahead, boolean now) {
    List<Waiter> waiting = new ArrayList<>(lock.waiting());
    if (waiting.stream().noneMatch(w -> w.epoch() == epoch && w.request() == request)) {
      List<Integer> unheard = now ? mayUse(lock, epoch, mode) : List.of();
      waiting.add(new Waiter(epoch, request, mode, ahead, now, unheard));
    }
    Step settled = settle(lock.leases(), waiting, lock.number());
    return now ? probing(settled, epoch, request) : settled;
  }

  /** The nodes that may need a lease that excludes the mode. */
  private static List<Integer> mayUse(GlobalLock lock, int epoch, LockMode mode) {
    return lock.leases().stream()
        .filter(lease -> !lease.orphan() && lease.excludes(epoch, mode))
        .map(Lease::epoch)
        .distinct()
        .sorted()
        .toList();
  }

  /** Asks the nodes on which the request depends, unless it has been answered already. */
  private static Step probing(Step settled, int epoch, long request) {
    List<LockAction> actions = new ArrayList<>(settled.actions());
    for (Waiter waiter : settled.lock().waiting()) {
      if (waiter.epoch() == epoch && waiter.request() == request) {
        waiter.unheard().forEach(node -> actions.add(new LockAction.Probe(node, epoch, request)));
      }
    }
    return new Step(settled.lock(), actions);
  }

  /**
   * A node answers {@link LockAction.Probe}: leases that it has not given back are needed.
   *
   * @param asker epoch of the node whose request it is about
   * @param request that node's number for it
   */
  public static Step probed(GlobalLock lock, int epoch, int asker, long request) {
    List<Waiter> waiting = new ArrayList<>();
    for (Waiter waiter : lock.waiting()) {
      boolean isMeant = waiter.epoch() == asker && waiter.request() == request;
      waiting.add(isMeant ? waiter.heard(epoch) : waiter);
    }
    return settle(lock.leases(), waiting, lock.number());
  }

  /** A node withdraws a request; if it was granted meanwhile, the lease stays. */
  public static Step withdraw(GlobalLock lock, int epoch, long request) {
    return settle(
        lock.leases(),
        without(lock.waiting(), w -> w.epoch() == epoch && w.request() == request),
        lock.number());
  }

  /**
   * A node gives modes back.
   *
   * @param modes set of modes
   * @param upTo younger leases stay: they were granted while this message was under way
   */
  public static Step release(GlobalLock lock, int epoch, int modes, long upTo) {
    return settle(
        without(
            lock.leases(),
            l ->
                l.epoch() == epoch
                    && !l.orphan()
                    && (l.mode().bit() & modes) != 0
                    && l.number() <= upTo),
        lock.waiting(),
        lock.number());
  }

  /**
   * A node has died. Its requests are dropped. A lease stays while changes that the node may have
   * made under it are not rolled back (rule 12).
   */
  public static Step died(GlobalLock lock, int epoch) {
    List<Lease> leases = new ArrayList<>();
    for (Lease lease : lock.leases()) {
      if (lease.epoch() != epoch) {
        // A dead recoverer no longer rolls back for others.
        leases.add(lease.orphan() && lease.heir() == epoch ? lease.asOrphan(0) : lease);
      } else if (lease.mode().outlivesItsNode()) {
        leases.add(lease.asOrphan(0));
      }
    }
    List<Waiter> waiting =
        lock.waiting().stream()
            .filter(w -> w.epoch() != epoch)
            .map(w -> w.unheard().contains(epoch) ? w.heard(epoch) : w)
            .toList();
    return settle(leases, waiting, lock.number());
  }

  /** The heir rolls the dead node back; the dead node's leases do not exclude it. */
  public static Step inherit(GlobalLock lock, int dead, int heir) {
    List<Lease> leases = new ArrayList<>();
    for (Lease lease : lock.leases()) {
      leases.add(lease.epoch() == dead && lease.orphan() ? lease.asOrphan(heir) : lease);
    }
    return settle(leases, lock.waiting(), lock.number());
  }

  /** All unfinished changes of a dead node are rolled back. */
  public static Step recovered(GlobalLock lock, int dead) {
    return settle(
        without(lock.leases(), l -> l.epoch() == dead && l.orphan()),
        lock.waiting(),
        lock.number());
  }

  /**
   * A node reports a lease to a new home, before the home serves requests.
   *
   * @param number that the lost home had assigned
   */
  public static GlobalLock reported(GlobalLock lock, int epoch, LockMode mode, long number) {
    List<Lease> leases =
        new ArrayList<>(
            without(lock.leases(), l -> l.epoch() == epoch && l.mode() == mode && !l.orphan()));
    leases.add(new Lease(epoch, mode, number, false, false, 0));
    return new GlobalLock(leases, lock.waiting(), Math.max(lock.number(), number));
  }

  /** A new home learns of a lease that a dead node had, or may have had. */
  public static GlobalLock reportedOrphan(GlobalLock lock, int dead, LockMode mode, int heir) {
    List<Lease> leases = new ArrayList<>(lock.leases());
    Lease orphan = new Lease(dead, mode, 0, false, true, heir);
    leases.removeIf(l -> l.epoch() == dead && l.mode() == mode);
    leases.add(orphan);
    return new GlobalLock(leases, lock.waiting(), lock.number());
  }

  // ---- consequences of any change

  private static Step settle(List<Lease> before, List<Waiter> waitingBefore, long lastNumber) {
    List<Lease> leases = new ArrayList<>(before);
    List<Waiter> waiting = new ArrayList<>();
    List<LockAction> actions = new ArrayList<>();
    long number = lastNumber;
    for (Waiter waiter : waitingBefore) {
      if (isFree(leases, waiting, waiter)) {
        number++;
        Lease given = new Lease(waiter.epoch(), waiter.mode(), number, false, false, 0);
        leases.removeIf(l -> l.epoch() == given.epoch() && l.mode() == given.mode() && !l.orphan());
        leases.add(given);
        actions.add(new LockAction.Grant(waiter.epoch(), waiter.request(), waiter.mode(), number));
      } else if (waiter.now() && (waiter.unheard().isEmpty() || isBehind(waiting, waiter))) {
        actions.add(new LockAction.Deny(waiter.epoch(), waiter.request()));
      } else {
        waiting.add(waiter);
      }
    }
    recall(leases, waiting, number, actions);
    return new Step(new GlobalLock(leases, waiting, number), actions);
  }

  private static boolean isFree(List<Lease> leases, List<Waiter> earlier, Waiter waiter) {
    for (Lease lease : leases) {
      if (lease.excludes(waiter.epoch(), waiter.mode())) {
        return false;
      }
    }
    return !isBehind(earlier, waiter);
  }

  /** Whether one that waits comes before this one. Those for now are in nobody's way. */
  private static boolean isBehind(List<Waiter> earlier, Waiter waiter) {
    if (waiter.ahead() && !waiter.now()) {
      return false;
    }
    return earlier.stream()
        .anyMatch(before -> !before.now() && before.mode().conflictsWith(waiter.mode()));
  }

  /**
   * Recalls leases that waiters need and that were not recalled; cancels recalls that are no longer
   * needed.
   */
  private static void recall(
      List<Lease> leases, List<Waiter> waiting, long number, List<LockAction> actions) {
    Map<Integer, Integer> asked = new TreeMap<>();
    Map<Integer, Integer> kept = new TreeMap<>();
    for (int i = 0; i < leases.size(); i++) {
      Lease lease = leases.get(i);
      if (lease.orphan()) {
        continue;
      }
      boolean isWanted =
          waiting.stream().anyMatch(w -> !w.now() && lease.excludes(w.epoch(), w.mode()));
      if (isWanted != lease.recalled()) {
        leases.set(i, lease.asRecalled(isWanted));
        (isWanted ? asked : kept).merge(lease.epoch(), lease.mode().bit(), (a, b) -> a | b);
      }
    }
    asked.forEach((epoch, modes) -> actions.add(new LockAction.Recall(epoch, modes, number)));
    kept.forEach((epoch, modes) -> actions.add(new LockAction.Keep(epoch, modes)));
  }

  private static <T> List<T> without(List<T> all, Predicate<T> gone) {
    return all.stream().filter(gone.negate()).toList();
  }
}
