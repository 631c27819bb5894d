package io.gauss.compute.buffer;

import java.util.Locale;

/**
 * Parts of the time that a page takes from one compute node to another. The node that gets the page
 * measures the first four, the node that gives it the others: clocks of different machines are not
 * compared.
 */
public enum TransferPhase {
  /** From the request until the page was here: the sum of the next three. */
  TOTAL,
  /** Of that: the request waited at the home, since another transfer of the page was under way. */
  QUEUE,
  /** Of that: the owner had the order. The sum of its turn, revoke and force. */
  OWNER,
  /** The rest: messages from here to the home, to the owner, and back with the page. */
  TRAVEL,
  /** Threads of the owner, which had waited for the page themselves, had their turn. */
  TURN,
  /** Readers that had copies from the owner dropped them. */
  REVOKE,
  /** The owner's log was forced through the page's last change (law 3, log before leave). */
  FORCE,
  /** From sending the page until the home reported that it has arrived. */
  CONFIRM;

  /** As views and metrics call it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
