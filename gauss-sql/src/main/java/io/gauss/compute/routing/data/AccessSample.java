package io.gauss.compute.routing.data;

import io.gauss.compute.routing.PageGroups;
import java.util.List;

/**
 * What one transaction did, as far as it matters for where it should have run. Arrays must not be
 * modified.
 *
 * @param node slot of the node that ran it
 * @param endedMicros µs since 2000-01-01 UTC
 * @param routing how the client chose the node, see {@link RoutingMode}
 * @param isCommitted false = rolled back
 * @param text of the first planned statement, with its constants if it has any; cut to {@value
 *     #MOST_CHARACTERS} characters
 * @param values parameters of that statement in their order: {@link Long} (also for booleans, and
 *     for points in time, µs since 1970-01-01 UTC), {@link Double}, {@link String} (at most {@value
 *     #MOST_VALUE_CHARACTERS} characters) or null
 * @param groups {@linkplain PageGroups groups} of the leaves that it touched, ascending
 * @param written those of them that it latched for writing, ascending
 * @param moved those of the groups of which a page, or the right to it, came from another node for
 *     it, ascending
 * @param weight number of transactions of the node that it stands for, at least 1
 * @param accesses to pages, a page each time; they tell how much processor time it took
 * @param pages distinct pages of tables and indexes that it touched
 * @param transfers pages, or rights to them, that came from other nodes for it
 * @param isComplete false when it touched more pages than are remembered
 * @param role oid of the session's user
 * @param tables oids of all tables that the statement uses, of whichever its values are
 */
@SuppressWarnings("ArrayRecordComponent") // samples are not compared
public record AccessSample(
    int node,
    long endedMicros,
    RoutingMode routing,
    boolean isCommitted,
    String text,
    List<Object> values,
    long[] groups,
    long[] written,
    long[] moved,
    double weight,
    long accesses,
    int pages,
    long transfers,
    boolean isComplete,
    int role,
    int[] tables) {
  public static final int MOST_CHARACTERS = 4096;
  public static final int MOST_VALUE_CHARACTERS = 64;
  public static final int MOST_VALUES = 64;

  /** The same without user input: text and values are null. */
  public AccessSample withoutStatement() {
    return new AccessSample(
        node,
        endedMicros,
        routing,
        isCommitted,
        null,
        null,
        groups,
        written,
        moved,
        weight,
        accesses,
        pages,
        transfers,
        isComplete,
        role,
        tables);
  }
}
