package io.gauss.storage.map.api;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An epoch that ended, until it is recovered (rules 10 to 13).
 *
 * <p>Steps: its stream is sealed; every live node installs the death, drops what came from the dead
 * node and acknowledges with its clock; every live node raises its clock to the sealed stream's
 * last LSN; the recoverer, with its clock at or above {@code clock}, folds the undo segments and
 * reports it ({@code takenOver}): from then on pages and answers about transactions may be given.
 * The entry is removed when everything unfinished is rolled back.
 *
 * @param epoch the dead epoch
 * @param slot stream slot of a compute node, else 0
 * @param installPending live nodes that may still have something from the dead node
 * @param raisePending live nodes whose clock may be below the sealed stream's last LSN; empty for a
 *     node without a stream
 * @param clock highest clock (LSN) in the acknowledgements
 * @param recoverer compute node that recovers it; 0 = none named yet, or none needed
 * @param takenOver the recoverer has folded the undo segments
 */
public record Death(
    int epoch,
    int node,
    int slot,
    Evidence evidence,
    SortedSet<Integer> installPending,
    SortedSet<Integer> raisePending,
    long clock,
    int recoverer,
    boolean takenOver) {
  /** Why the node was declared dead. The numbers are part of formats. */
  public enum Evidence {
    LEASE_ENDED(1),
    /** Its supervisor saw the process end, or its host refuses its port. */
    PROOF_OF_EXIT(2),
    /** The node reported it itself, after it had stopped serving. */
    LEFT(3);

    private final int id;

    Evidence(int id) {
      this.id = id;
    }

    public int id() {
      return id;
    }

    /**
     * The evidence of this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Evidence of(int id) {
      for (Evidence evidence : values()) {
        if (evidence.id == id) {
          return evidence;
        }
      }
      throw new IllegalArgumentException("evidence " + id);
    }
  }

  public Death {
    installPending = Collections.unmodifiableSortedSet(new TreeSet<>(installPending));
    raisePending = Collections.unmodifiableSortedSet(new TreeSet<>(raisePending));
  }

  /** True for compute nodes: they leave a stream, undo segments and pages. */
  public boolean hasStream() {
    return slot != 0;
  }

  /** True when every live node has installed the death and dropped what came from the node. */
  public boolean isInstalled() {
    return installPending.isEmpty();
  }

  /** True when it is installed and no clock is below the sealed stream's last LSN any more. */
  public boolean isAcknowledged() {
    return isInstalled() && raisePending.isEmpty();
  }
}
