package io.gauss.compute.type;

import java.util.Arrays;

/**
 * PostgreSQL's order of jsonb values: objects are above arrays, those above booleans, numbers,
 * strings and null; of two arrays or objects the longer one is above, else their parts decide. Only
 * at the top an empty array is below everything. Stateless.
 */
final class JsonbOrder {
  private static final int EMPTY_ARRAY = 0;
  private static final int SCALAR = 1;
  private static final int ARRAY = 2;
  private static final int OBJECT = 3;

  private JsonbOrder() {}

  static int compare(JsonbView a, JsonbView b) {
    int x = rankAtTop(a);
    int y = rankAtTop(b);
    return x != y ? Integer.compare(x, y) : compareInside(a, b);
  }

  private static int rankAtTop(JsonbView view) {
    return switch (view.kind()) {
      case ARRAY -> view.count() == 0 ? EMPTY_ARRAY : ARRAY;
      case OBJECT -> OBJECT;
      default -> SCALAR;
    };
  }

  private static int rank(JsonbKind kind) {
    return switch (kind) {
      case NULL -> 0;
      case STRING -> 1;
      case INTEGER, DECIMAL -> 2;
      case FALSE, TRUE -> 3;
      case ARRAY -> 4;
      case OBJECT -> 5;
    };
  }

  private static int compareInside(JsonbView a, JsonbView b) {
    int x = rank(a.kind());
    int y = rank(b.kind());
    if (x != y) {
      return Integer.compare(x, y);
    }
    return switch (a.kind()) {
      case NULL -> 0;
      case FALSE, TRUE -> a.kind().compareTo(b.kind());
      case STRING ->
          ValueOrder.compareBytes(
              a.bytes(), a.offset(), a.stringLength(), b.bytes(), b.offset(), b.stringLength());
      case INTEGER, DECIMAL -> {
        Value left = new Value();
        Value right = new Value();
        a.getNumber(left);
        b.getNumber(right);
        yield Numerics.compare(left, right);
      }
      case ARRAY, OBJECT -> compareParts(a, b);
    };
  }

  private static int compareParts(JsonbView a, JsonbView b) {
    if (a.count() != b.count()) {
      return Integer.compare(a.count(), b.count());
    }
    JsonbView left = new JsonbView();
    JsonbView right = new JsonbView();
    for (int i = 0; i < a.count(); i++) {
      if (a.kind() == JsonbKind.OBJECT) {
        int order =
            ValueOrder.compareBytes(
                a.bytes(),
                a.nameOffset(i),
                a.nameLength(i),
                b.bytes(),
                b.nameOffset(i),
                b.nameLength(i));
        if (order != 0) {
          return order;
        }
      }
      a.child(i, left);
      b.child(i, right);
      int order = compareInside(left, right);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** Whether two nodes are the same value; faster than a comparison when the bytes are the same. */
  static boolean equal(JsonbView a, JsonbView b) {
    boolean same =
        a.length() == b.length()
            && Arrays.equals(
                a.bytes(),
                a.offset(),
                a.offset() + a.length(),
                b.bytes(),
                b.offset(),
                b.offset() + b.length());
    return same || compare(a, b) == 0;
  }

  static int hash(JsonbView view) {
    int hash = rank(view.kind());
    switch (view.kind()) {
      case NULL -> {
        // Its rank says it all.
      }
      case FALSE, TRUE -> hash = hash * 31 + view.kind().ordinal();
      case STRING -> hash = hash * 31 + ofBytes(view, view.offset(), view.stringLength());
      case INTEGER, DECIMAL -> {
        Value number = new Value();
        view.getNumber(number);
        hash = hash * 31 + Numerics.hash(number);
      }
      case ARRAY, OBJECT -> {
        JsonbView inner = new JsonbView();
        for (int i = 0; i < view.count(); i++) {
          if (view.kind() == JsonbKind.OBJECT) {
            hash = hash * 31 + ofBytes(view, view.nameOffset(i), view.nameLength(i));
          }
          view.child(i, inner);
          hash = hash * 31 + hash(inner);
        }
      }
    }
    return hash;
  }

  private static int ofBytes(JsonbView view, int offset, int length) {
    return ValueOrder.hashBytes(view.bytes(), offset, length);
  }
}
