package io.gauss.storage.map.api;

/**
 * A node's lease in the map: how long each renewal is valid, and the number of renewals. It has no
 * times: the holder counts from when it sent a renewal, the granter from when it saw the renewal
 * committed.
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
