package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import io.gauss.jdbc.text.Effect;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a session has left on its node that cannot be recreated on another one (its pins), and what
 * the open transaction has changed of that and of the settings: it counts when the transaction is
 * committed, and is taken back with it or with a savepoint of it, as on the server. For one thread
 * at a time.
 */
final class Trail {
  /** Pins whose end the driver does not see; they end with a request of a pool. */
  static final String UNWRAPPED = "unwrapped";

  private static final String UNKNOWN_SETTINGS =
      "settings of which it is not known if they are set";

  /** How a transaction has ended. */
  enum Outcome {
    COMMITTED,
    ROLLED_BACK,
    /** The driver has not seen how. */
    UNKNOWN
  }

  /** A savepoint, and how much had been done before it. */
  private record Mark(String name, int done) {}

  private final SessionSettings settings;
  private final String constant;
  private final Set<String> pins = new LinkedHashSet<>();
  private final List<Effect> done = new ArrayList<>(); // by the open transaction
  private final List<Mark> marks = new ArrayList<>();

  /**
   * @param constant a pin that never ends; null for none
   */
  Trail(SessionSettings settings, String constant) {
    this.settings = settings;
    this.constant = constant;
    keepConstant();
  }

  private void keepConstant() {
    if (constant != null) {
      pins.add(constant);
    }
  }

  boolean isPinned() {
    return !pins.isEmpty() || !done.isEmpty() && !now().isEmpty();
  }

  /** The pins as text for people. */
  String describe() {
    return String.join(", ", done.isEmpty() ? pins : now());
  }

  /** The pins as the open transaction sees them. */
  private Set<String> now() {
    Set<String> all = new LinkedHashSet<>(pins);
    done.forEach(effect -> change(all, effect));
    return all;
  }

  private static void change(Set<String> all, Effect effect) {
    if (effect instanceof Effect.Pin pin) {
      all.add(pin.what());
    } else if (effect instanceof Effect.Unpin unpin) {
      all.remove(unpin.what());
    } else if (effect instanceof Effect.UnpinAll unpin) {
      all.removeIf(pin -> pin.startsWith(unpin.prefix()));
    }
  }

  void pin(String what) {
    pins.add(what);
  }

  /** The user of a pooled connection is done. */
  void requestEnded() {
    pins.removeIf(pin -> pin.startsWith(UNWRAPPED));
  }

  /** Everything was lost with the node. */
  void clear() {
    pins.clear();
    done.clear();
    marks.clear();
    keepConstant();
  }

  /**
   * Something has taken place.
   *
   * @param inTransaction in an open transaction
   */
  void apply(Effect effect, boolean inTransaction, NodeConnection on) {
    boolean isKept = inTransaction && isTransactional(effect);
    if (isKept) {
      done.add(effect);
    } else if (effect instanceof Effect.Set set) {
      settings.execute(set, on);
    } else {
      // What was made in this transaction is gone as well.
      if (inTransaction && !(effect instanceof Effect.Pin)) {
        forget(effect);
      }
      change(pins, effect);
      keepConstant();
    }
  }

  private void forget(Effect end) {
    for (int i = done.size() - 1; i >= 0; i--) {
      if (done.get(i) instanceof Effect.Pin made) {
        Set<String> left = new LinkedHashSet<>(Set.of(made.what()));
        change(left, end);
        if (left.isEmpty()) {
          done.set(i, end); // so that what savepoints count stays the same
        }
      }
    }
  }

  private static boolean isTransactional(Effect effect) {
    if (effect instanceof Effect.Pin pin) {
      return pin.isTransactional();
    } else if (effect instanceof Effect.Unpin unpin) {
      return unpin.isTransactional();
    } else if (effect instanceof Effect.UnpinAll unpin) {
      return unpin.isTransactional();
    }
    return effect instanceof Effect.Set;
  }

  // ---- savepoints

  void savepoint(String name) {
    marks.add(new Mark(name, done.size()));
  }

  void release(String name) {
    int at = find(name);
    if (at >= 0) {
      marks.subList(at, marks.size()).clear();
    }
  }

  void rollbackTo(String name) {
    int at = find(name);
    if (at >= 0) {
      done.subList(marks.get(at).done(), done.size()).clear();
      marks.subList(at + 1, marks.size()).clear();
    } else {
      pin(UNKNOWN_SETTINGS); // it was made in a way that the driver has not seen
    }
  }

  private int find(String name) {
    for (int i = marks.size() - 1; i >= 0; i--) {
      if (marks.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  // ---- ends

  /** The transaction on that node is over. */
  void ended(Outcome outcome, NodeConnection on) {
    switch (outcome) {
      case COMMITTED -> {
        for (Effect effect : done) {
          if (effect instanceof Effect.Set set) {
            settings.execute(set, on);
          } else {
            change(pins, effect);
          }
        }
        keepConstant();
      }
      case ROLLED_BACK -> {
        // It is as if it had never been.
      }
      case UNKNOWN -> unsure(done);
    }
    done.clear();
    marks.clear();
  }

  /**
   * One of several statements has failed, and all are rolled back: what no rollback takes back may
   * have been made before, such as a prepared statement.
   */
  void outlives(List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Effect.Pin pin && !pin.isTransactional()) {
        pin(pin.what());
      }
    }
  }

  /** These may have taken place, or not: whatever may be there pins. */
  void unsure(List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Effect.Pin) {
        change(pins, effect);
      } else if (effect instanceof Effect.Set) {
        pin(UNKNOWN_SETTINGS);
      }
    }
  }
}
