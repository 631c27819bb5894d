package io.gauss.storage.map.api;

/**
 * A node's lease as the map has it: how long each renewal is good for, and how many there were. No
 * times: the holder counts from when it sent a renewal, the granter from when it saw it committed.
 *
 * @param durationMillis fixed when the epoch was registered, so that a changed setting never makes
 *     holder and granter count differently; 0 for nodes without a lease
 * @param renewals number of the last renewal; registering is number 0
 */
public record Lease(int durationMillis, long renewals) {
  public static final Lease NONE = new Lease(0, 0);

  boolean exists() {
    return durationMillis > 0;
  }
}
