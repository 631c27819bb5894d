package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The labels of an enum type at one version of its definition. Immutable but for the link to the
 * next version; thread-safe.
 *
 * <p>A value is held as its label's code, a number whose order is that of the labels. A label keeps
 * its code as long as its type exists: adding labels, also between others, and renaming them change
 * no row and no key. Codes of neighbours are {@link #GAP} apart at first; a new label between two
 * gets the middle.
 */
public final class EnumLabels {
  /** Bytes of a label: names have no more. */
  public static final int LABEL_BYTES = 63;

  /** Distance of the codes of labels that were put behind each other. */
  private static final long GAP = 1L << 44;

  /** Numbers all versions of all types in this process. */
  private static final AtomicLong STAMPS = new AtomicLong();

  private final String typeName;
  private final List<Label> inOrder;
  private final Map<String, Label> byName = new HashMap<>();
  private final Map<Long, byte[]> byCode = new HashMap<>();
  private final Set<Long> uncommitted;
  private final long stamp = STAMPS.incrementAndGet();

  /** The next version, once there is one in the committed catalog. */
  private volatile EnumLabels successor;

  /**
   * One label.
   *
   * @param oid of its row in pg_enum
   * @param code of its values
   * @param sortOrder pg_enum.enumsortorder, numbered as PostgreSQL does; for clients only
   */
  public record Label(int oid, long code, float sortOrder, String name) {
    /** The label with another name. */
    public Label withName(String newName) {
      return new Label(oid, code, sortOrder, newName);
    }

    Label withSortOrder(float newOrder) {
      return new Label(oid, code, newOrder, name);
    }
  }

  /**
   * @param typeName as messages show it
   */
  public EnumLabels(String typeName, List<Label> labels) {
    this(typeName, labels, Set.of());
  }

  private EnumLabels(String typeName, List<Label> labels, Set<Long> uncommitted) {
    this.typeName = typeName;
    this.inOrder = labels.stream().sorted(Comparator.comparingLong(Label::code)).toList();
    this.uncommitted = uncommitted;
    for (Label label : inOrder) {
      byName.put(label.name(), label);
      byCode.put(label.code(), label.name().getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * The same labels for the transaction that has added some of them: it can name these, but not use
   * them before it has committed.
   *
   * @param added oids of labels that it has added
   */
  public EnumLabels withUncommitted(Set<Integer> added) {
    Set<Long> codes = new HashSet<>();
    for (Label label : inOrder) {
      if (added.contains(label.oid())) {
        codes.add(label.code());
      }
    }
    return codes.isEmpty() ? this : new EnumLabels(typeName, inOrder, codes);
  }

  /** Links a version that is no longer current to the one that replaces it. */
  public void replacedBy(EnumLabels next) {
    if (next != this) {
      next.successor = null; // it may have been current before
      successor = next;
    }
  }

  /** The labels in their order. */
  public List<Label> inOrder() {
    return inOrder;
  }

  /** Null when there is no such label. */
  public Label find(String name) {
    return byName.get(name);
  }

  /** Tells this version from all others of this and other types. */
  long stamp() {
    return stamp;
  }

  /**
   * The label of a value in UTF-8. A row may have one that was added after this version: then it is
   * in a later one, since every node knows a change of the catalog before any statement sees its
   * rows.
   *
   * @throws GaussException XX000 when there is none
   */
  byte[] bytes(long code) {
    for (EnumLabels version = this; version != null; version = version.successor) {
      byte[] found = version.byCode.get(code);
      if (found != null) {
        return found;
      }
    }
    throw new GaussException(
        SqlState.INTERNAL_ERROR, "invalid internal value for enum: %d".formatted(code));
  }

  /**
   * The label of an input.
   *
   * @throws GaussException 22P02 when there is none, 55P04 when the transaction has just added it
   */
  Label require(String text) {
    Label found = byName.get(text);
    if (found == null) {
      throw new GaussException(
          SqlState.INVALID_TEXT_REPRESENTATION,
          "invalid input value for enum %s: \"%s\"".formatted(typeName, text));
    }
    requireCommitted(found);
    return found;
  }

  /**
   * @throws GaussException 55P04 when the transaction has just added the label
   */
  public void requireCommitted(Label label) {
    if (uncommitted.contains(label.code())) {
      throw new GaussException(
              SqlState.UNSAFE_NEW_ENUM_VALUE_USAGE,
              "unsafe use of new value \"%s\" of enum type %s".formatted(label.name(), typeName))
          .hint("New enum values must be committed before they can be used.");
    }
  }

  // ---------------------------------------------------------------- changes

  /**
   * The labels of a new type.
   *
   * @throws GaussException 54000 when there are more than codes
   */
  public static List<Label> first(List<String> names, List<Integer> oids) {
    if (names.size() >= Long.MAX_VALUE / GAP) {
      throw new GaussException(SqlState.PROGRAM_LIMIT_EXCEEDED, "too many enum labels");
    }
    List<Label> labels = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      labels.add(new Label(oids.get(i), (i + 1) * GAP, i + 1, names.get(i)));
    }
    return List.copyOf(labels);
  }

  /**
   * The labels with one more.
   *
   * @param index where it is put
   * @throws GaussException 54000 when there is no code left there
   */
  public static List<Label> with(List<Label> labels, int index, String name, int oid) {
    List<Label> all = new ArrayList<>(labels);
    Label before = index == 0 ? null : labels.get(index - 1);
    Label after = index == labels.size() ? null : labels.get(index);
    float order = sortOrder(before, after);
    boolean isCrowded =
        (before != null && order <= before.sortOrder())
            || (after != null && order >= after.sortOrder());
    if (isCrowded) { // as PostgreSQL: all get whole numbers
      for (int i = 0; i < all.size(); i++) {
        all.set(i, all.get(i).withSortOrder(i + 1));
      }
      order =
          sortOrder(index == 0 ? null : all.get(index - 1), after == null ? null : all.get(index));
    }
    all.add(index, new Label(oid, code(before, after), order, name));
    return List.copyOf(all);
  }

  private static float sortOrder(Label before, Label after) {
    if (before == null) {
      return after == null ? 1 : after.sortOrder() - 1;
    }
    return after == null ? before.sortOrder() + 1 : (before.sortOrder() + after.sortOrder()) / 2;
  }

  private static long code(Label before, Label after) {
    boolean isPossible;
    long code;
    if (before == null) {
      code = after == null ? GAP : after.code() - GAP;
      isPossible = after == null || code < after.code();
    } else if (after == null) {
      code = before.code() + GAP;
      isPossible = code > before.code();
    } else {
      code = before.code() + (after.code() - before.code()) / 2;
      isPossible = code > before.code();
    }
    if (!isPossible) {
      throw new GaussException(
              SqlState.PROGRAM_LIMIT_EXCEEDED,
              before == null || after == null
                  ? "too many enum labels"
                  : "there is no room for another enum label between \"%s\" and \"%s\""
                      .formatted(before.name(), after.name()))
          .hint("Make a new type, and change the columns to it with USING column::text::type.");
    }
    return code;
  }
}
