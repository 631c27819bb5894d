package io.gauss.compute.expr;

import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.List;

/**
 * A fixed set of values of one type, with look-ups that do not allocate; open addressing.
 * Immutable.
 */
public final class ValueSet {
  private final ValueOrder order;
  private final Value[] slots;
  private final int mask;

  /**
   * @param values not NULL; the set keeps them
   */
  public ValueSet(ValueOrder order, List<Value> values) {
    this.order = order;
    int capacity = Math.max(4, Integer.highestOneBit(values.size() * 2) * 2);
    slots = new Value[capacity];
    mask = capacity - 1;
    for (Value value : values) {
      int slot = slotOf(value);
      slots[slot] = value;
    }
  }

  private int slotOf(Value value) {
    int slot = order.hash(value) & mask;
    while (slots[slot] != null && !order.equal(slots[slot], value)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  boolean contains(Value value) {
    return slots[slotOf(value)] != null;
  }
}
