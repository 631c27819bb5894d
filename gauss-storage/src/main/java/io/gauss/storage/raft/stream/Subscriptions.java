package io.gauss.storage.raft.stream;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Who needs a stream's log although it may have no replica of it, and from where on (rule 44): a
 * part of the stream's state, changed by commands of its own log, which are thereby ordered with
 * its trims.
 *
 * <p>A storage node has at most one subscription in each stream, for all its slices. It is made for
 * a <em>tenure</em>, identified by the version of the cluster map since which some slice or other
 * is the node's without interruption. What is said about an earlier tenure changes nothing of a
 * later one. That all tenures up to one are over can be said late, and more than once.
 *
 * <p>Commands may be repeated: what was applied before, and is applied once more in the same order,
 * leads to the same subscriptions. Immutable.
 *
 * @param all ascending by node
 */
public record Subscriptions(List<Subscription> all) {
  public static final Subscriptions NONE = new Subscriptions(List.of());

  private static final Comparator<Subscription> BY_NODE =
      Comparator.comparingInt(Subscription::node);

  /**
   * A subscription.
   *
   * @param node storage node that needs the log
   * @param tenure see {@link Subscriptions}; 0 for a node that has had slices from the beginning
   * @param from offset from which it needs the log: the start of an MTR
   */
  public record Subscription(int node, long tenure, long from) {}

  public Subscriptions {
    all = List.copyOf(all);
  }

  /** In any order. */
  static Subscriptions of(Collection<Subscription> all) {
    return new Subscriptions(all.stream().sorted(BY_NODE).toList());
  }

  /** The subscription of a node; null when it has none. */
  public Subscription of(int node) {
    for (Subscription each : all) {
      if (each.node() == node) {
        return each;
      }
    }
    return null;
  }

  /** Whether a node has a subscription for a tenure or a later one. */
  public boolean reach(int node, long tenure) {
    Subscription known = of(node);
    return known != null && known.tenure() >= tenure;
  }

  /** The offset below which nobody needs the log; {@link Long#MAX_VALUE} without subscriptions. */
  public long lowest() {
    long lowest = Long.MAX_VALUE;
    for (Subscription each : all) {
      lowest = Math.min(lowest, each.from());
    }
    return lowest;
  }

  /**
   * A node needs the log from an offset on, or from where it begins if that is higher. One that has
   * a subscription for an earlier tenure keeps what that keeps: slices that it has had since then
   * need it. For a later tenure, or the same one, nothing changes.
   *
   * @param start where the log begins now
   */
  public Subscriptions subscribed(int node, long tenure, long offset, long start) {
    Subscription known = of(node);
    if (known != null && known.tenure() >= tenure) {
      return this;
    }
    long from = Math.max(offset, start);
    return with(
        new Subscription(node, tenure, known == null ? from : Math.min(known.from(), from)));
  }

  /** A node has everything below an offset durably, of all slices for which it subscribed. */
  public Subscriptions raised(int node, long tenure, long offset) {
    Subscription known = of(node);
    return known == null || known.tenure() != tenure || offset <= known.from()
        ? this
        : with(new Subscription(node, tenure, offset));
  }

  /** All tenures of a node up to this one are over. */
  public Subscriptions ended(int node, long tenure) {
    Subscription known = of(node);
    if (known == null || known.tenure() > tenure) {
      return this;
    }
    List<Subscription> rest = new ArrayList<>(all);
    rest.remove(known);
    return rest.isEmpty() ? NONE : new Subscriptions(rest);
  }

  private Subscriptions with(Subscription changed) {
    List<Subscription> next = new ArrayList<>(all);
    next.removeIf(each -> each.node() == changed.node());
    next.add(changed);
    return of(next);
  }
}
