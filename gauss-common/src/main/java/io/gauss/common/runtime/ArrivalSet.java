package io.gauss.common.runtime;

import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A set that is iterated in the order in which its elements came. For objects without a hash code
 * of their own: sets that hash them by identity have another order in each run, and whatever is
 * done to their elements one after the other cannot be repeated by a simulation.
 *
 * <p>Thread-safe. Iteration is weakly consistent, as that of {@link ConcurrentHashMap}, and does
 * not remove.
 */
public final class ArrivalSet<E> extends AbstractSet<E> {
  private final ConcurrentMap<E, Long> numbers = new ConcurrentHashMap<>();
  private final ConcurrentNavigableMap<Long, E> arrived = new ConcurrentSkipListMap<>();
  private final AtomicLong last = new AtomicLong();

  @Override
  public boolean add(E element) {
    long next = last.incrementAndGet();
    long number =
        numbers.computeIfAbsent(
            element,
            added -> {
              arrived.put(next, added);
              return next;
            });
    return number == next;
  }

  @Override
  public boolean remove(Object element) {
    Long number = numbers.get(element);
    if (number == null) {
      return false;
    }
    boolean[] removed = new boolean[1];
    @SuppressWarnings("unchecked") // it is among the keys
    E known = (E) element;
    numbers.computeIfPresent(
        known,
        (key, now) -> {
          arrived.remove(now);
          removed[0] = true;
          return null;
        });
    return removed[0];
  }

  @Override
  public boolean contains(Object element) {
    return numbers.containsKey(element);
  }

  @Override
  public int size() {
    return numbers.size();
  }

  @Override
  public boolean isEmpty() {
    return numbers.isEmpty();
  }

  @Override
  public void clear() {
    forEach(this::remove);
  }

  @Override
  public Iterator<E> iterator() {
    return Collections.unmodifiableCollection(arrived.values()).iterator();
  }

  @Override
  public Stream<E> stream() {
    return arrived.values().stream();
  }
}
