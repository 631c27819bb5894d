package io.gauss.compute.tree;

/** Decides where a leaf is cut in two though it is not full. Changes nothing. */
@FunctionalInterface
public interface LeafCut {
  /**
   * Called with the leaf latched, and again after each cut, for the leaf that the key is on by
   * then.
   *
   * @param page address of the leaf
   * @param slot of the key, {@code ~slot} of the first record above it when there is none
   * @return how many records stay on the left; 0 when it is not, or no longer, to be cut
   */
  int recordsLeft(long page, int slot);
}
