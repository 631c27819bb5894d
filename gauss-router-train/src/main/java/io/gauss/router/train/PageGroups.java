package io.gauss.router.train;

/**
 * Numbers of page groups: the tree in the upper, the group's place in the order of the tree's keys
 * in the lower 16 bits. Groups of one tree whose numbers are next to each other are neighbours,
 * which is all that the trainer knows of them: when there are too many it takes neighbours
 * together.
 */
public final class PageGroups {
  /** Groups that one tree can have; above 512 GB at 1,024 pages each. */
  public static final int PER_TREE = 1 << 16;

  private PageGroups() {}

  /**
   * @param tree number of the tree, below 65,536 (trees beyond may be left out of routing)
   * @param place of the group among the tree's groups, by key
   */
  public static int number(int tree, int place) {
    if (tree < 0 || tree >= PER_TREE || place < 0 || place >= PER_TREE) {
      throw new IllegalArgumentException("tree " + tree + ", place " + place);
    }
    return tree << 16 | place;
  }

  /** The tree of a group. */
  public static int tree(int group) {
    return group >>> 16;
  }

  /** The group's place in its tree. */
  public static int place(int group) {
    return group & 0xffff;
  }
}
