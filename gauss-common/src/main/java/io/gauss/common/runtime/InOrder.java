package io.gauss.common.runtime;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Unmodifiable copies that are iterated as their originals are. Those of {@link Map#copyOf} and
 * {@link Set#copyOf}, like {@link Set#of} and {@link Map#of}, have another order in each JVM.
 */
public final class InOrder {
  private InOrder() {}

  public static <K, V> Map<K, V> copyOf(Map<? extends K, ? extends V> map) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }

  public static <E> Set<E> copyOf(Collection<? extends E> elements) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(elements));
  }
}
