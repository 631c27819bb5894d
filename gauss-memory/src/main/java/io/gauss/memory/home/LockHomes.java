package io.gauss.memory.home;

import io.gauss.common.error.SqlState;
import io.gauss.memory.lock.GlobalLock;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.LockTransitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The home of the locks of one event loop's buckets: carries out the decisions of {@link
 * LockTransitions}. Bounded: locks beyond the capacity are refused. Belongs to the event loop;
 * {@link #size} may be read by any thread.
 *
 * <p>Only the home knows the leases of a dead node. A home that begins while the death is not
 * recovered therefore assumes that the dead node had every lock of the bucket exclusively: leases
 * of other nodes stay, and requests wait until the recovery is over (rule 12).
 */
public final class LockHomes {
  private final Map<LockName, GlobalLock> locks = new HashMap<>();

  /**
   * By bucket: dead nodes that may have had any lock of it, and the epoch that recovers each (0 =
   * none).
   */
  private final Map<Integer, Map<Integer, Integer>> unknown = new HashMap<>();

  private final int capacity;
  private int advisory; // of the locks
  private final Orders orders;
  private volatile int size; // written by the owning thread only

  /** Sends the orders: to each node once and in the order given. */
  public interface Orders {
    void order(LockName name, LockAction action);

    /** Refuses the node's request: its statement gets this error. */
    void refuse(LockName name, int epoch, long request, SqlState state, String message);
  }

  /** A change of one lock. */
  @FunctionalInterface
  private interface Change {
    LockTransitions.Step apply(GlobalLock lock);
  }

  /**
   * @param capacity maximum number of locks that are held or requested; half of it for advisory
   *     ones, which clients invent, so that tables can still be locked
   */
  public LockHomes(int capacity, Orders orders) {
    this.capacity = capacity;
    this.orders = orders;
  }

  /** See {@link LockTransitions#request}; refused with 53200 when there are too many locks. */
  public void request(
      LockName name, int epoch, long request, LockMode mode, boolean ahead, boolean now) {
    boolean isFull = name.isAdvisory() && advisory >= capacity / 2;
    if ((isFull || locks.size() >= capacity) && !locks.containsKey(name)) {
      orders.refuse(
          name,
          epoch,
          request,
          SqlState.OUT_OF_MEMORY,
          "no room for the lock on "
              + name
              + ": there are "
              + (isFull ? advisory : capacity)
              + " locks already");
      return;
    }
    unknown
        .getOrDefault(name.bucket(), Map.of())
        .forEach((dead, heir) -> putIfUnknown(name, dead, heir));
    change(name, lock -> LockTransitions.request(lock, epoch, request, mode, ahead, now));
  }

  /** See {@link LockTransitions#probed}. */
  public void probed(LockName name, int epoch, int asker, long request) {
    change(name, lock -> LockTransitions.probed(lock, epoch, asker, request));
  }

  /** A lease that the dead node did report need not be its only one: it may have died meanwhile. */
  private void putIfUnknown(LockName name, int dead, int heir) {
    boolean isKnown =
        lock(name).leases().stream()
            .anyMatch(
                lease ->
                    lease.orphan()
                        && lease.epoch() == dead
                        && lease.mode() == LockMode.ACCESS_EXCLUSIVE);
    if (!isKnown) {
      int to = name.isAdvisory() ? 0 : heir;
      put(name, lock -> LockTransitions.reportedOrphan(lock, dead, LockMode.ACCESS_EXCLUSIVE, to));
    }
  }

  /**
   * A bucket has moved here, and these dead nodes have not reported their leases in it, which are
   * therefore unknown.
   *
   * @param dead epochs that are not recovered, with the epochs of their recoverers, 0 = none yet
   */
  public void begin(int bucket, Map<Integer, Integer> dead) {
    if (!dead.isEmpty()) {
      unknown.computeIfAbsent(bucket, b -> new HashMap<>()).putAll(dead);
    }
  }

  /** See {@link LockTransitions#withdraw}. */
  public void withdraw(LockName name, int epoch, long request) {
    change(name, lock -> LockTransitions.withdraw(lock, epoch, request));
  }

  /** See {@link LockTransitions#release}. */
  public void release(LockName name, int epoch, int modes, long upTo) {
    change(name, lock -> LockTransitions.release(lock, epoch, modes, upTo));
  }

  /** See {@link LockTransitions#died}. */
  public void died(int epoch) {
    changeAll((name, lock) -> LockTransitions.died(lock, epoch));
  }

  /**
   * See {@link LockTransitions#inherit}. A recoverer needs no advisory lock: its clients get those
   * of the dead node when all others do.
   */
  public void inherit(int dead, int heir) {
    unknown.values().forEach(all -> all.computeIfPresent(dead, (epoch, before) -> heir));
    changeAll(
        (name, lock) ->
            name.isAdvisory()
                ? new LockTransitions.Step(lock, List.of())
                : LockTransitions.inherit(lock, dead, heir));
  }

  /** See {@link LockTransitions#recovered}. */
  public void recovered(int dead) {
    unknown.values().forEach(all -> all.remove(dead));
    unknown.values().removeIf(Map::isEmpty);
    changeAll((name, lock) -> LockTransitions.recovered(lock, dead));
  }

  /** See {@link LockTransitions#reported}. */
  public void reported(LockName name, int epoch, LockMode mode, long number) {
    put(name, lock -> LockTransitions.reported(lock, epoch, mode, number));
  }

  /** Forgets the locks of a bucket. */
  public void forget(int bucket) {
    locks.keySet().removeIf(name -> name.bucket() == bucket && gone(name));
    unknown.remove(bucket);
    size = locks.size();
  }

  private void put(LockName name, UnaryOperator<GlobalLock> change) {
    put(name, change.apply(locks.getOrDefault(name, GlobalLock.FREE)));
    size = locks.size();
  }

  private void put(LockName name, GlobalLock lock) {
    if (locks.put(name, lock) == null && name.isAdvisory()) {
      advisory++;
    }
  }

  /** It has been removed, or is now. */
  private boolean gone(LockName name) {
    if (name.isAdvisory()) {
      advisory--;
    }
    return true;
  }

  private void change(LockName name, Change change) {
    LockTransitions.Step step = change.apply(locks.getOrDefault(name, GlobalLock.FREE));
    if (!step.lock().isFree()) {
      put(name, step.lock());
    } else if (locks.remove(name) != null) {
      gone(name);
    }
    size = locks.size();
    step.actions().forEach(action -> orders.order(name, action));
  }

  /** A change of each lock. */
  @FunctionalInterface
  private interface ChangeOfEach {
    LockTransitions.Step apply(LockName name, GlobalLock lock);
  }

  private void changeAll(ChangeOfEach change) {
    List<Runnable> told = new ArrayList<>();
    Iterator<Map.Entry<LockName, GlobalLock>> all = locks.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<LockName, GlobalLock> one = all.next();
      LockName name = one.getKey();
      LockTransitions.Step step = change.apply(name, one.getValue());
      step.actions().forEach(action -> told.add(() -> orders.order(name, action)));
      if (step.lock().isFree()) {
        all.remove();
        gone(name);
      } else {
        one.setValue(step.lock());
      }
    }
    size = locks.size();
    told.forEach(Runnable::run);
  }

  /** The lock as it is now. */
  public GlobalLock lock(LockName name) {
    return locks.getOrDefault(name, GlobalLock.FREE);
  }

  public int size() {
    return size;
  }
}
