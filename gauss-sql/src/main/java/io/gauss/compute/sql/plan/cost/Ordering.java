package io.gauss.compute.sql.plan.cost;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * The order in which a plan emits its rows. Immutable.
 *
 * @param keys fields of the relational node, most significant first
 * @param constants fields that have one value only: they fit at any place of an order
 * @param notNull fields that are never NULL: the position of NULLs does not matter for them
 */
public record Ordering(List<Key> keys, ImmutableBitSet constants, ImmutableBitSet notNull) {
  public static final Ordering NONE =
      new Ordering(List.of(), ImmutableBitSet.of(), ImmutableBitSet.of());

  /** One sort key. */
  public record Key(int field, boolean descending, boolean nullsFirst) {
    Key reversed() {
      return new Key(field, !descending, !nullsFirst);
    }

    public static Key of(RelFieldCollation collation) {
      return new Key(
          collation.getFieldIndex(),
          collation.getDirection().isDescending(),
          collation.nullDirection == RelFieldCollation.NullDirection.FIRST);
    }
  }

  public static List<Key> keys(List<RelFieldCollation> collations) {
    List<Key> keys = new ArrayList<>();
    for (RelFieldCollation collation : collations) {
      keys.add(Key.of(collation));
    }
    return keys;
  }

  Ordering reversed() {
    return new Ordering(keys.stream().map(Key::reversed).toList(), constants, notNull);
  }

  /** Whether rows in this order are also in the wanted order. */
  public boolean satisfies(List<Key> wanted) {
    int at = 0;
    for (Key key : wanted) {
      if (constants.get(key.field())) {
        continue;
      }
      while (at < keys.size() && constants.get(keys.get(at).field())) {
        at++;
      }
      if (at == keys.size()) {
        return false;
      }
      Key own = keys.get(at++);
      boolean same =
          own.field() == key.field()
              && own.descending() == key.descending()
              && (own.nullsFirst() == key.nullsFirst() || notNull.get(key.field()));
      if (!same) {
        return false;
      }
    }
    return true;
  }

  /** Whether rows with equal values in these fields are adjacent. */
  public boolean groups(ImmutableBitSet fields) {
    ImmutableBitSet left = fields.except(constants);
    for (Key key : keys) {
      if (left.isEmpty()) {
        return true;
      }
      if (constants.get(key.field())) {
        continue;
      }
      if (!left.get(key.field())) {
        return false;
      }
      left = left.clear(key.field());
    }
    return left.isEmpty();
  }

  /**
   * Renames fields: {@code newFields[i]} is what field i is called above, -1 = dropped, as fields
   * above the last one are.
   */
  public Ordering mapped(int[] newFields) {
    List<Key> mapped = new ArrayList<>();
    for (Key key : keys) {
      int field = renamed(key.field(), newFields);
      if (field < 0) {
        if (constants.get(key.field())) {
          continue;
        }
        break;
      }
      mapped.add(new Key(field, key.descending(), key.nullsFirst()));
    }
    return new Ordering(mapped, mapped(constants, newFields), mapped(notNull, newFields));
  }

  private static ImmutableBitSet mapped(ImmutableBitSet fields, int[] newFields) {
    ImmutableBitSet.Builder builder = ImmutableBitSet.builder();
    for (int field : fields) {
      if (renamed(field, newFields) >= 0) {
        builder.set(newFields[field]);
      }
    }
    return builder.build();
  }

  private static int renamed(int field, int[] newFields) {
    return field < newFields.length ? newFields[field] : -1;
  }
}
