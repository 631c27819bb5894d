package io.gauss.compute.routing.data;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Which compute node is to own the pages of each page group, by slot; and what another node needs
 * to continue learning: which groups belong together, and how much each is used. Immutable.
 */
public final class GroupOwners {
  /** Most groups; beyond that, those with the highest numbers are left out. */
  public static final int MOST = 65_536;

  public static final GroupOwners NONE =
      new GroupOwners(new long[0], new short[0], new short[0], new float[0]);

  private final long[] groups; // ascending
  private final short[] slots;
  private final short[] units;
  private final float[] weights;

  /**
   * What is known of a group.
   *
   * @param slot of the node that is to own its pages
   * @param unit of groups that belong together, 0 to 65,535
   * @param weight how much it was used before the publication
   */
  public record Place(int slot, int unit, float weight) {}

  private GroupOwners(long[] groups, short[] slots, short[] units, float[] weights) {
    this.groups = groups;
    this.slots = slots;
    this.units = units;
    this.weights = weights;
  }

  /** Converts a map from groups to their places. */
  public static GroupOwners of(Map<Long, Place> places) {
    long[] groups =
        places.keySet().stream().mapToLong(Long::longValue).sorted().limit(MOST).toArray();
    short[] slots = new short[groups.length];
    short[] units = new short[groups.length];
    float[] weights = new float[groups.length];
    for (int i = 0; i < groups.length; i++) {
      Place place = places.get(groups[i]);
      slots[i] = (short) place.slot();
      units[i] = (short) place.unit();
      weights[i] = place.weight();
    }
    return new GroupOwners(groups, slots, units, weights);
  }

  public int size() {
    return groups.length;
  }

  /** The i-th group, in ascending order. */
  public long group(int i) {
    return groups[i];
  }

  /** What is known of the i-th group. */
  public Place place(int i) {
    return new Place(slots[i], Short.toUnsignedInt(units[i]), weights[i]);
  }

  /** All groups with what is known of them. */
  public Map<Long, Place> places() {
    Map<Long, Place> places = new HashMap<>();
    for (int i = 0; i < groups.length; i++) {
      places.put(groups[i], place(i));
    }
    return places;
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
