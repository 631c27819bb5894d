package io.gauss.compute.routing.data;

import java.util.Arrays;
import java.util.Map;

/** Which compute node is to own the pages of each page group, by slot. Immutable. */
public final class GroupOwners {
  /** Most groups; beyond that, those with the highest numbers are left out. */
  public static final int MOST = 65_536;

  public static final GroupOwners NONE = new GroupOwners(new long[0], new short[0]);

  private final long[] groups; // ascending
  private final short[] slots;

  private GroupOwners(long[] groups, short[] slots) {
    this.groups = groups;
    this.slots = slots;
  }

  /** Converts a map from groups to slots. */
  public static GroupOwners of(Map<Long, Integer> slotByGroup) {
    long[] groups =
        slotByGroup.keySet().stream().mapToLong(Long::longValue).sorted().limit(MOST).toArray();
    short[] slots = new short[groups.length];
    for (int i = 0; i < groups.length; i++) {
      slots[i] = slotByGroup.get(groups[i]).shortValue();
    }
    return new GroupOwners(groups, slots);
  }

  public int size() {
    return groups.length;
  }

  /** The i-th group, in ascending order. */
  public long group(int i) {
    return groups[i];
  }

  /** The node that is to own the i-th group. */
  public int slotAt(int i) {
    return slots[i];
  }

  /** The node that is to own a group; 0 = any. */
  public int slot(long group) {
    int place = Arrays.binarySearch(groups, group);
    return place < 0 ? 0 : slots[place];
  }

  /** How many groups a node is to own. */
  public int count(int slot) {
    int count = 0;
    for (short of : slots) {
      count += of == slot ? 1 : 0;
    }
    return count;
  }
}
