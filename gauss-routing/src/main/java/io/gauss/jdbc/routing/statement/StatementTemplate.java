package io.gauss.jdbc.routing.statement;

import java.util.List;

/**
 * A statement's text without its values. Two texts that differ only in literals, parameters, white
 * space, comments, the case of keywords and names, or the length of lists have the same template.
 * Immutable.
 *
 * @param id 64-bit hash of {@code text}: the same in all JVMs and versions of the driver
 * @param text normalised; reading it again gives the same template, so it can be sent to others
 * @param kind what the statement does
 * @param predicates comparisons with values that always hold, in the order of the text; at most
 *     {@link #MAX_PREDICATES}
 */
public record StatementTemplate(long id, String text, Kind kind, List<Predicate> predicates) {
  /** More predicates than these are left out. */
  public static final int MAX_PREDICATES = 8;

  /** What a statement does, by its first word. */
  public enum Kind {
    SELECT,
    INSERT,
    UPDATE,
    DELETE,
    /** Shows nothing about the rows to come: SET, SHOW, SELECT without FROM, BEGIN. */
    TELLS_NOTHING,
    /** Everything else, WITH included. */
    OTHER
  }

  public StatementTemplate {
    predicates = List.copyOf(predicates);
  }

  /** The hash that makes {@link #id}: FNV-1a over the UTF-16 units, mixed by MurmurHash3's end. */
  static long hash(CharSequence text) {
    long h = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      h = (h ^ (c & 0xff)) * 0x100000001b3L;
      h = (h ^ (c >>> 8)) * 0x100000001b3L;
    }
    h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
    h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return h ^ (h >>> 33);
  }

  /** Ordinals of the predicates' operators. A new array each time. */
  public int[] operatorOrdinals() {
    return predicates.stream().mapToInt(p -> p.operator().ordinal()).toArray();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StatementTemplate t && t.id == id && t.text.equals(text);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id);
  }
}
