package io.gauss.memory.lock;

import io.gauss.common.invariant.Invariant;
import io.gauss.memory.lock.NodeLock.Asked;
import io.gauss.memory.lock.NodeLock.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The transitions of a lock at a node that uses it, and the messages to its home: the counterpart
 * of {@link LockTransitions}. A pure function. The node has resolved conflicts between its own
 * transactions before.
 */
public final class NodeLockTransitions {
  private NodeLockTransitions() {}

  /** A message from a node to the home. */
  public sealed interface Message {
    /** See {@link LockTransitions#request}. */
    record Request(long request, LockMode mode, boolean ahead, boolean now) implements Message {}

    /** See {@link LockTransitions#withdraw}. */
    record Withdraw(long request) implements Message {}

    /** See {@link LockTransitions#release}. */
    record Release(int modes, long upTo) implements Message {}

    /** See {@link LockTransitions#reported}. */
    record Report(LockMode mode, long number) implements Message {}

    /** See {@link LockTransitions#probed}. */
    record Probed(int asker, long request) implements Message {}
  }

  /**
   * The lock afterwards, and the consequences.
   *
   * @param messages to the home
   * @param granted the request that has its mode now, 0 = none
   */
  public record Step(NodeLock lock, List<Message> messages, long granted) {
    public Step {
      messages = List.copyOf(messages);
    }
  }

  /**
   * A transaction requests the mode. It gets the mode at once if the node has it on lease;
   * otherwise the node sends a request to the home.
   *
   * @param request a number that the node has not used for this lock; not 0
   * @param ahead true when the transaction has another mode of this lock
   * @param now true when it does not wait for others that have the lock
   */
  public static Step acquire(
      NodeLock lock, long request, LockMode mode, boolean ahead, boolean now) {
    Optional<Held> lease = find(lock, mode);
    if (lease.isPresent() && lease.get().recalled() == 0) {
      Held held = lease.get();
      return new Step(
          with(lock, new Held(mode, held.number(), held.users() + 1, 0)), List.of(), request);
    }
    List<Asked> asked = new ArrayList<>(lock.asked());
    asked.add(new Asked(request, mode, ahead, now));
    return new Step(
        new NodeLock(lock.leases(), asked),
        List.of(new Message.Request(request, mode, ahead, now)),
        0);
  }

  /** A transaction that has the mode has ended. The lease stays unless it was recalled. */
  public static Step end(NodeLock lock, LockMode mode) {
    Held held = find(lock, mode).orElseThrow(() -> Invariant.broken(mode + " is not held"));
    Invariant.check(held.users() != 0, "{} has no users", mode);
    return idle(lock, new Held(mode, held.number(), held.users() - 1, held.recalled()));
  }

  /** The requester withdraws its request. */
  public static Step withdraw(NodeLock lock, long request) {
    List<Asked> asked = lock.asked().stream().filter(a -> a.request() != request).toList();
    return asked.size() == lock.asked().size()
        ? new Step(lock, List.of(), 0)
        : new Step(new NodeLock(lock.leases(), asked), List.of(new Message.Withdraw(request)), 0);
  }

  /** Gives back leases that no transaction uses, to free memory. */
  public static Step giveBack(NodeLock lock) {
    NodeLock rest = lock;
    List<Message> messages = new ArrayList<>();
    for (Held held : lock.leases()) {
      if (held.users() == 0) {
        rest = without(rest, held.mode());
        messages.add(new Message.Release(held.mode().bit(), held.number()));
      }
    }
    return new Step(rest, messages, 0);
  }

  /**
   * There is a new home, to which the node reports its leases. The node accepts no further orders
   * of the old home. The new home recalls leases again if they are still needed.
   */
  public static Step homeLost(NodeLock lock) {
    List<Held> leases = new ArrayList<>();
    List<Message> messages = new ArrayList<>();
    for (Held held : lock.leases()) {
      leases.add(new Held(held.mode(), held.number(), held.users(), 0));
      messages.add(new Message.Report(held.mode(), held.number()));
    }
    return new Step(new NodeLock(leases, lock.asked()), messages, 0);
  }

  /** The new home has the reports of all nodes, and does not know earlier requests. */
  public static Step askAgain(NodeLock lock) {
    List<Message> messages = new ArrayList<>();
    for (Asked asked : lock.asked()) {
      messages.add(new Message.Request(asked.request(), asked.mode(), asked.ahead(), asked.now()));
    }
    return new Step(lock, messages, 0);
  }

  /** See {@link LockAction.Grant}. */
  public static Step granted(NodeLock lock, LockAction.Grant grant) {
    boolean isWanted = lock.asked().stream().anyMatch(a -> a.request() == grant.request());
    List<Asked> asked = lock.asked().stream().filter(a -> a.request() != grant.request()).toList();
    int users = find(lock, grant.mode()).map(Held::users).orElse(0) + (isWanted ? 1 : 0);
    NodeLock next =
        with(new NodeLock(lock.leases(), asked), new Held(grant.mode(), grant.number(), users, 0));
    return new Step(next, List.of(), isWanted ? grant.request() : 0);
  }

  /** See {@link LockAction.Recall}. */
  public static Step recalled(NodeLock lock, LockAction.Recall recall) {
    NodeLock next = lock;
    List<Message> messages = new ArrayList<>();
    for (Held held : lock.leases()) {
      if ((held.mode().bit() & recall.modes()) != 0) {
        Step step = idle(next, new Held(held.mode(), held.number(), held.users(), recall.upTo()));
        next = step.lock();
        messages.addAll(step.messages());
      }
    }
    return new Step(next, messages, 0);
  }

  /** See {@link LockAction.Keep}. */
  public static Step kept(NodeLock lock, LockAction.Keep keep) {
    NodeLock next = lock;
    for (Held held : lock.leases()) {
      if ((held.mode().bit() & keep.modes()) != 0) {
        next = with(next, new Held(held.mode(), held.number(), held.users(), 0));
      }
    }
    return new Step(next, List.of(), 0);
  }

  /** See {@link LockAction.Probe}. */
  public static Step probed(NodeLock lock, LockAction.Probe probe) {
    Step rest = giveBack(lock);
    List<Message> messages = new ArrayList<>(rest.messages());
    messages.add(new Message.Probed(probe.asker(), probe.request()));
    return new Step(rest.lock(), messages, 0);
  }

  /** See {@link LockAction.Deny}. */
  public static Step denied(NodeLock lock, LockAction.Deny deny) {
    return new Step(
        new NodeLock(
            lock.leases(),
            lock.asked().stream().filter(a -> a.request() != deny.request()).toList()),
        List.of(),
        0);
  }

  private static Step idle(NodeLock lock, Held held) {
    if (held.users() == 0 && held.recalled() != 0) {
      return new Step(
          without(lock, held.mode()),
          List.of(new Message.Release(held.mode().bit(), held.recalled())),
          0);
    }
    return new Step(with(lock, held), List.of(), 0);
  }

  private static Optional<Held> find(NodeLock lock, LockMode mode) {
    return lock.leases().stream().filter(h -> h.mode() == mode).findFirst();
  }

  private static NodeLock with(NodeLock lock, Held held) {
    List<Held> leases = new ArrayList<>(without(lock, held.mode()).leases());
    leases.add(held);
    leases.sort(Comparator.comparing(Held::mode));
    return new NodeLock(leases, lock.asked());
  }

  private static NodeLock without(NodeLock lock, LockMode mode) {
    return new NodeLock(
        lock.leases().stream().filter(h -> h.mode() != mode).toList(), lock.asked());
  }
}
