package io.gauss.compute.sql.exec;

import java.util.IdentityHashMap;
import java.util.Map;

/** Counters of EXPLAIN ANALYZE by plan node; the nodes are only keys. One execution, one thread. */
public final class Instrumentation {
  private final Map<Object, Counters> counters = new IdentityHashMap<>();

  /** Counters of a node, created at first use. */
  public Counters of(Object node) {
    return counters.computeIfAbsent(node, n -> new Counters());
  }

  /** Counters of a node, null when it was never opened. */
  public Counters find(Object node) {
    return counters.get(node);
  }

  /** Inclusive of the node's inputs, except {@link #rows} and {@link #loops}. */
  public static final class Counters {
    /** Rows emitted, over all loops. */
    public long rows;

    /** How often the node was opened. */
    public long loops;

    /** Time in open and next, ns. */
    public long nanos;

    /** Time until the first batch of the first loop, ns. */
    public long startupNanos;

    /** Rows that a filter of this node removed. */
    public long rowsRemoved;

    /**
     * Accesses to pages that were in the buffer pool, pages loaded into it, and the time spent
     * waiting.
     */
    public final PageCounts pages = new PageCounts();

    /** Bytes written to temporary files. */
    public long spilledBytes;
  }
}
