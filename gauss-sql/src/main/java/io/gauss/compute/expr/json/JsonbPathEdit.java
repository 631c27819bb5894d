package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.Value;

/**
 * Changes what a path leads to: PostgreSQL's setPath, with its kinds of changes. One use, one
 * thread.
 */
final class JsonbPathEdit {
  /** What is done at the end of the path. */
  enum Change {
    DELETE,
    /** The value is put in the place of another one, if there is one. */
    REPLACE,
    /** The value is put in the place of another one, or added. */
    CREATE,
    INSERT_BEFORE,
    INSERT_AFTER,
    /** As CREATE; what the path lacks is made as well. For assignments to subscripts. */
    ASSIGN;

    boolean adds() {
      return this != DELETE && this != REPLACE;
    }

    boolean inserts() {
      return this == INSERT_BEFORE || this == INSERT_AFTER;
    }
  }

  /** An index that is far before an array's first element. */
  private static final int BEFORE_ALL = Integer.MIN_VALUE;

  private final Value[] path;
  private final Value newValue;
  private final Change change;
  private final JsonbBuilder to;

  /**
   * @param newValue a jsonb value; null for DELETE
   */
  JsonbPathEdit(Value[] path, Value newValue, Change change, JsonbBuilder to) {
    this.path = path;
    this.newValue = newValue;
    this.change = change;
    this.to = to;
  }

  /** Adds the changed value to the builder. */
  void apply(JsonbView value) {
    edit(value, 0);
  }

  /**
   * @param level of the step that applies to the value; there is one
   */
  private void edit(JsonbView value, int level) {
    if (path[level].isNull) {
      throw new GaussException(
          SqlState.NULL_VALUE_NOT_ALLOWED,
          "path element at position %d is null".formatted(level + 1));
    }
    switch (value.kind()) {
      case OBJECT -> editObject(value, level);
      case ARRAY -> editArray(value, level);
      default -> {
        if (change == Change.ASSIGN) {
          throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "cannot replace existing key")
              .detail("The path assumes key is a composite object, but it is a scalar value.");
        }
        to.node(value);
      }
    }
  }

  private boolean isLast(int level) {
    return level == path.length - 1;
  }

  private void putNew() {
    to.node(newValue);
  }

  private void putName(Value name) {
    to.name(name.bytes, name.off, name.len);
  }

  private void editObject(JsonbView object, int level) {
    Value step = path[level];
    int at = object.find(step.bytes, step.off, step.len);
    JsonbView inner = new JsonbView();
    to.objectStart();
    for (int i = 0; i < object.count(); i++) {
      if (i == at && isLast(level)) {
        replaceField(step);
        continue;
      }
      to.name(object.bytes(), object.nameOffset(i), object.nameLength(i));
      object.fieldValue(i, inner);
      if (i == at) {
        edit(inner, level + 1);
      } else {
        to.node(inner);
      }
    }
    if (at < 0 && isLast(level) && change.adds()) {
      putName(step);
      putNew();
    } else if (at < 0 && change == Change.ASSIGN) {
      putName(step);
      putChain(level + 1);
    }
    to.objectEnd();
  }

  private void replaceField(Value name) {
    if (change.inserts()) {
      throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, "cannot replace existing key")
          .hint("Try using the function jsonb_set to replace key value.");
    }
    if (change != Change.DELETE) {
      putName(name);
      putNew();
    }
  }

  private void editArray(JsonbView array, int level) {
    int count = array.count();
    int at = index(level, count);
    boolean done = false;
    JsonbView inner = new JsonbView();
    to.arrayStart();
    if ((at == BEFORE_ALL || count == 0) && isLast(level) && change.adds()) {
      if (change == Change.ASSIGN) {
        putNulls(at);
      }
      putNew();
      done = true;
    }
    for (int i = 0; i < count; i++) {
      array.element(i, inner);
      if (i != at) {
        to.node(inner);
        continue;
      }
      done = true;
      if (isLast(level)) {
        replaceElement(inner);
      } else {
        edit(inner, level + 1);
      }
    }
    if (!done && isLast(level) && change.adds()) {
      if (change == Change.ASSIGN) {
        putNulls((long) at - count);
      }
      putNew();
    } else if (!done && change == Change.ASSIGN) {
      putNulls((long) at - count);
      putChain(level + 1);
    }
    to.arrayEnd();
  }

  private void replaceElement(JsonbView before) {
    switch (change) {
      case DELETE -> {
        // It is left out.
      }
      case REPLACE, CREATE, ASSIGN -> putNew();
      case INSERT_BEFORE -> {
        putNew();
        to.node(before);
      }
      case INSERT_AFTER -> {
        to.node(before);
        putNew();
      }
    }
  }

  /** The index that a step means in an array of a length. */
  private int index(int level, int count) {
    Integer written = JsonParts.integer(path[level]);
    if (written == null) {
      throw new GaussException(
          SqlState.INVALID_TEXT_REPRESENTATION,
          "path element at position %d is not an integer: \"%s\""
              .formatted(level + 1, Texts.get(path[level])));
    }
    int at = written;
    if (at < 0) {
      if (-(long) at <= count) {
        return at + count;
      }
      if (change == Change.ASSIGN) {
        throw new GaussException(
            SqlState.INVALID_PARAMETER_VALUE,
            "path element at position %d is out of range: %d".formatted(level + 1, at));
      }
      return BEFORE_ALL;
    }
    return change == Change.ASSIGN ? at : Math.min(at, count);
  }

  private void putNulls(long count) {
    for (long i = 0; i < count; i++) {
      to.nothing();
    }
  }

  /** The value that the rest of the path leads to, in new objects and arrays. */
  private void putChain(int level) {
    if (level == path.length) {
      putNew();
      return;
    }
    Integer index = JsonParts.integer(path[level]);
    if (index == null) {
      to.objectStart();
      putName(path[level]);
      putChain(level + 1);
      to.objectEnd();
    } else {
      to.arrayStart();
      putNulls(index);
      putChain(level + 1);
      to.arrayEnd();
    }
  }

  /** A value without content that a first step can be taken in: for assignments to NULL. */
  static void putEmpty(boolean array, JsonbBuilder to) {
    if (array) {
      to.arrayStart();
      to.arrayEnd();
    } else {
      to.objectStart();
      to.objectEnd();
    }
  }
}
