package io.gauss.router.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Chooses what stays where there is no room for all: each role has as much room as the others, but
 * not more than it needs; what it leaves is for those that need more. So no role pushes out what
 * was learned for others, whatever it sends.
 */
final class FairShare {
  private FairShare() {}

  /**
   * The first ones of each role.
   *
   * @param inOrder the most important one first
   * @param most how many there is room for
   * @return at most so many, in the same order
   */
  static <T> List<T> best(List<T> inOrder, ToIntFunction<? super T> role, int most) {
    if (inOrder.size() <= most) {
      return inOrder;
    }
    Map<Integer, Integer> claims = new HashMap<>();
    for (T each : inOrder) {
      claims.merge(role.applyAsInt(each), 1, Integer::sum);
    }
    Map<Integer, Integer> left = divide(claims, most);
    List<T> best = new ArrayList<>(most);
    for (T each : inOrder) {
      int of = role.applyAsInt(each);
      int room = left.get(of);
      if (room > 0) {
        left.put(of, room - 1);
        best.add(each);
      }
    }
    return best;
  }

  private static Map<Integer, Integer> divide(Map<Integer, Integer> claims, int most) {
    Integer[] roles = claims.keySet().toArray(Integer[]::new);
    Arrays.sort(
        roles,
        Comparator.comparing((Integer role) -> claims.get(role))
            .thenComparing(Comparator.naturalOrder()));
    Map<Integer, Integer> shares = new HashMap<>();
    int left = most;
    for (int i = 0; i < roles.length; i++) {
      int share = Math.min(claims.get(roles[i]), left / (roles.length - i));
      shares.put(roles[i], share);
      left -= share;
    }
    return shares;
  }

  /** Counts of something by role. */
  static final class Counts {
    private final Map<Integer, Integer> byRole = new HashMap<>();
    private int all;

    void add(int role) {
      byRole.merge(role, 1, Integer::sum);
      all++;
    }

    int all() {
      return all;
    }

    /** The role that has most, of equal ones that with the lowest number. */
    int role() {
      int best = 0;
      int most = 0;
      for (Map.Entry<Integer, Integer> each : byRole.entrySet()) {
        int count = each.getValue();
        if (count > most || count == most && each.getKey() < best) {
          best = each.getKey();
          most = count;
        }
      }
      return best;
    }
  }
}
