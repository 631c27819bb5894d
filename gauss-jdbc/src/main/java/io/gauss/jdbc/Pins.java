package io.gauss.jdbc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The pins of a logical connection to its node: state of the session there that cannot be recreated
 * on another one. State that a transaction has created is removed when it is rolled back. For one
 * thread at a time.
 */
final class Pins {
  private final Set<String> pins = new LinkedHashSet<>();
  private final Set<String> created = new HashSet<>(); // by the open transaction
  private final List<String> dropped = new ArrayList<>(); // by the open transaction

  boolean any() {
    return !pins.isEmpty();
  }

  /** The pins as text for people. */
  String describe() {
    return String.join(", ", pins);
  }

  /**
   * @param inTransaction it is removed when the transaction is rolled back
   */
  void add(String pin, boolean inTransaction) {
    if (pins.add(pin) && inTransaction) {
      created.add(pin);
    }
  }

  void remove(String pin, boolean inTransaction) {
    if (inTransaction) {
      dropped.add(pin);
    } else {
      pins.remove(pin);
    }
  }

  /** Removes the pins that begin with the prefix. */
  void removeAll(String prefix) {
    pins.removeIf(pin -> pin.startsWith(prefix));
  }

  void clear() {
    pins.clear();
    created.clear();
    dropped.clear();
  }

  void transactionEnded(boolean committed) {
    if (!created.isEmpty() || !dropped.isEmpty()) {
      pins.removeAll(committed ? dropped : created);
      created.clear();
      dropped.clear();
    }
  }
}
