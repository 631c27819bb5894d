package io.gauss.compute.expr.json;

import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import io.gauss.compute.type.ValueOrder;
import java.util.Arrays;

/** {@code @>} and {@code ?} of jsonb. One use, one thread. */
final class JsonbContainment {
  private static final int COMPARED_BETWEEN_CHECKS = 1 << 18;
  private static final ValueOrder ORDER = ValueOrder.of(PgType.JSONB);

  private final Runnable longWork;
  private int compared;

  JsonbContainment(Runnable longWork) {
    this.longWork = longWork;
  }

  /** Whether a value contains another one. */
  boolean contains(Value whole, Value part) {
    JsonbView of = new JsonbView(whole);
    JsonbView in = new JsonbView(part);
    boolean bothScalars = !of.kind().isContainer() && !in.kind().isContainer();
    if (bothScalars) {
      return same(of, in);
    }
    // An array contains a scalar that is an element of it.
    if (of.kind() == JsonbKind.ARRAY && !in.kind().isContainer()) {
      return hasScalar(of, in);
    }
    return of.kind() == in.kind() && containsParts(of, in);
  }

  private void step() {
    if (++compared == COMPARED_BETWEEN_CHECKS) {
      compared = 0;
      longWork.run();
    }
  }

  /** Whether an object or array contains another one. */
  private boolean containsParts(JsonbView whole, JsonbView part) {
    return whole.kind() == JsonbKind.OBJECT
        ? containsFields(whole, part)
        : containsElements(whole, part);
  }

  private boolean containsFields(JsonbView whole, JsonbView part) {
    if (part.count() > whole.count()) {
      return false;
    }
    JsonbView wanted = new JsonbView();
    JsonbView found = new JsonbView();
    for (int i = 0; i < part.count(); i++) {
      step();
      int at = whole.find(part.bytes(), part.nameOffset(i), part.nameLength(i));
      if (at < 0) {
        return false;
      }
      part.fieldValue(i, wanted);
      whole.fieldValue(at, found);
      boolean holds =
          wanted.kind().isContainer()
              ? found.kind() == wanted.kind() && containsParts(found, wanted)
              : same(found, wanted);
      if (!holds) {
        return false;
      }
    }
    return true;
  }

  private boolean containsElements(JsonbView whole, JsonbView part) {
    JsonbView wanted = new JsonbView();
    for (int i = 0; i < part.count(); i++) {
      part.element(i, wanted);
      boolean holds =
          wanted.kind().isContainer() ? hasContaining(whole, wanted) : hasScalar(whole, wanted);
      if (!holds) {
        return false;
      }
    }
    return true;
  }

  private boolean hasScalar(JsonbView array, JsonbView scalar) {
    JsonbView element = new JsonbView();
    for (int i = 0; i < array.count(); i++) {
      step();
      array.element(i, element);
      if (same(element, scalar)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasContaining(JsonbView array, JsonbView container) {
    JsonbView element = new JsonbView();
    for (int i = 0; i < array.count(); i++) {
      step();
      array.element(i, element);
      if (element.kind() == container.kind() && containsParts(element, container)) {
        return true;
      }
    }
    return false;
  }

  private static boolean same(JsonbView a, JsonbView b) {
    if (a.kind().isContainer() || b.kind().isContainer()) {
      return false;
    }
    Value x = new Value();
    Value y = new Value();
    a.get(x);
    b.get(y);
    return ORDER.equal(x, y);
  }

  /** Whether a text is the name of a field, a string in an array, or the string itself. */
  boolean exists(JsonbView in, Value text) {
    return switch (in.kind()) {
      case OBJECT -> in.find(text.bytes, text.off, text.len) >= 0;
      case ARRAY -> {
        JsonbView element = new JsonbView();
        boolean found = false;
        for (int i = 0; i < in.count() && !found; i++) {
          step();
          in.element(i, element);
          found = isString(element, text);
        }
        yield found;
      }
      default -> isString(in, text);
    };
  }

  static boolean isString(JsonbView node, Value text) {
    return node.kind() == JsonbKind.STRING
        && Arrays.equals(
            node.bytes(),
            node.offset(),
            node.offset() + node.stringLength(),
            text.bytes,
            text.off,
            text.off + text.len);
  }
}
