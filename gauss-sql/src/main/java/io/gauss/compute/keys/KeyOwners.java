package io.gauss.compute.keys;

import io.gauss.compute.buffer.BufferPool;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.routing.PageGroups;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.tree.LeafBounds;
import io.gauss.compute.tree.LeafBounds.Leaf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Tells which node has the rows of a key, whether or not anybody has seen the key: the inner pages
 * of the table's tree, which all nodes have, tell the leaf; the leaf's page group has a published
 * owner, and where there is none, this node may know who owns the page. A hint: nothing waits, no
 * leaf is read, and the answer may be wrong by the time it is used.
 *
 * <p>The published owner comes first, since pages go there, and since a page that nobody writes
 * stays with whoever has loaded the table. Thread-safe.
 */
public final class KeyOwners {
  /** Leaves in an answer. */
  static final int MOST_LEAVES = 256;

  /**
   * Of a smaller tree the leaves tell nothing: rows of all nodes share them, and what transactions
   * touch besides is more.
   */
  static final int LEAST_LEAVES = 16;

  /** Leaves to the left of the key's. */
  private static final int BEFORE = MOST_LEAVES / 8;

  private final BufferPool pool;
  private final Supplier<GroupOwners> published;
  private final IntSupplier self;
  private final Supplier<Map<Integer, Integer>> numbers;

  /**
   * @param published owners of page groups, by slot
   * @param self slot of this node
   * @param numbers in the cluster, by slot, of the compute nodes that take transactions
   */
  public KeyOwners(
      BufferPool pool,
      Supplier<GroupOwners> published,
      IntSupplier self,
      Supplier<Map<Integer, Integer>> numbers) {
    this.pool = pool;
    this.published = published;
    this.self = self;
    this.numbers = numbers;
  }

  /**
   * The nodes of the keys around one.
   *
   * @param column name of a column; {@code #1} = the table's first one
   * @param value of the column, as text
   * @return null when the column's values do not lead to pages: it is not the first one of the
   *     primary key, of another type, or the table is small
   */
  public KeyRanges around(EngineContext ctx, TableDef table, String column, String value) {
    LeadingColumn leading = leading(table, column);
    if (leading == null) {
      return null;
    }
    byte[] key = leading.encode(value);
    if (key == null) {
      return new KeyRanges(leading.isNumber(), List.of());
    }
    List<Leaf> leaves = leaves(ctx, table, key, BEFORE, MOST_LEAVES);
    if (leaves == null) {
      return null;
    }
    GroupOwners owners = published.get();
    Map<Integer, Integer> there = numbers.get();
    return new LeafVotes(leading, page -> node(page, owners, there)).of(leaves);
  }

  /**
   * The page group of the rows with a value: of most of their leaves if they have leaves of their
   * own.
   *
   * @return 0 when it is not known, or the column's values do not tell
   */
  public long group(EngineContext ctx, TableDef table, String column, String value) {
    LeadingColumn leading = leading(table, column);
    byte[] key = leading == null ? null : leading.encode(value);
    List<Leaf> leaves = key == null ? null : leaves(ctx, table, key, 0, LEAST_LEAVES);
    if (leaves == null || leaves.isEmpty()) {
      return 0;
    }
    List<Long> groups = new ArrayList<>();
    groups.add(0L);
    KeyRanges ranges =
        new LeafVotes(
                leading,
                page -> {
                  long group = PageGroups.of(page);
                  if (!groups.contains(group)) {
                    groups.add(group);
                  }
                  return groups.indexOf(group);
                })
            .of(leaves);
    return groups.get(ranges.node(leading.decode(key).value()));
  }

  /** The column if its values lead to pages; otherwise null. */
  private static LeadingColumn leading(TableDef table, String column) {
    int place = column.equals("#1") ? 0 : table.columnIndex(column);
    if (place < 0 || table.hasRowId() || table.primaryKey()[0] != place) {
      return null;
    }
    LeadingColumn leading = new LeadingColumn(table.columns().get(place).type());
    return leading.isTold() ? leading : null;
  }

  /** Leaves around a key; empty when nothing is known now, null when there are only a few. */
  private List<Leaf> leaves(EngineContext ctx, TableDef table, byte[] key, int before, int most) {
    LeafBounds.Found found = LeafBounds.around(pool, ctx, table.space(), key, before, most);
    if (found.missing() != 0) {
      // For the next question: a node that runs none of the table's transactions has not needed it.
      pool.prefetch(new long[] {found.missing()}, 1);
    }
    List<Leaf> leaves = found.leaves();
    boolean isSmall =
        !leaves.isEmpty()
            && leaves.size() < LEAST_LEAVES
            && leaves.getFirst().low().length == 0
            && leaves.getLast().high() == null;
    return isSmall ? null : leaves;
  }

  private int node(long page, GroupOwners owners, Map<Integer, Integer> there) {
    int planned = there.getOrDefault(owners.slot(PageGroups.of(page)), 0);
    return planned != 0
        ? planned
        : there.getOrDefault(pool.moves().owner(page, self.getAsInt()), 0);
  }
}
