package io.gauss.compute.sql.exec.function;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.json.JsonChildren;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.JsonbKind;
import io.gauss.compute.type.JsonbText;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.Value;

/**
 * One row for each field of an object, or for each element of an array: {@code json_each}, {@code
 * jsonb_array_elements} and the like. Immutable.
 */
public final class JsonRows implements RowProducer {
  private static final int LONG_VALUE = 1 << 20;

  /** The content of a row. */
  public enum Form {
    /** A field's name and value. */
    FIELDS,
    /** A field's name. */
    NAMES,
    /** An element. */
    ELEMENTS
  }

  private final String name;
  private final Form form;
  private final boolean binary;
  private final boolean asText;

  /**
   * @param name of the function, for errors
   * @param binary whether the argument is jsonb, not json
   * @param asText whether values come as text
   */
  public JsonRows(String name, Form form, boolean binary, boolean asText) {
    this.name = name;
    this.form = form;
    this.binary = binary;
    this.asText = asText;
  }

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    if (arguments[0].isNull) {
      return (out, maxRows) -> false;
    }
    if (arguments[0].len > LONG_VALUE) {
      ctx.eval.longWork.run();
    }
    Value json = new Value();
    Values.copy(arguments[0], json, null);
    if (binary) {
      JsonbView view = new JsonbView(json);
      require(view.kind() == JsonbKind.OBJECT, view.kind() == JsonbKind.ARRAY);
      return new OfJsonb(view);
    }
    boolean decodes = asText || form != Form.ELEMENTS;
    JsonChildren children = decodes ? JsonChildren.of(json) : JsonChildren.ofWritten(json);
    require(children.isObject(), children.isArray());
    return new OfJson(children);
  }

  private void require(boolean isObject, boolean isArray) {
    if (form == Form.ELEMENTS ? isArray : isObject) {
      return;
    }
    throw new GaussException(SqlState.INVALID_PARAMETER_VALUE, wrong(isObject, isArray));
  }

  private String wrong(boolean isObject, boolean isArray) {
    if (binary) {
      return switch (form) {
        case FIELDS -> "cannot call " + name + " on a non-object";
        case NAMES -> "cannot call " + name + (isArray ? " on an array" : " on a scalar");
        case ELEMENTS -> "cannot extract elements from " + (isObject ? "an object" : "a scalar");
      };
    }
    return switch (form) {
      case FIELDS ->
          isArray ? "cannot deconstruct an array as an object" : "cannot deconstruct a scalar";
      case NAMES -> "cannot call " + name + (isArray ? " on an array" : " on a scalar");
      case ELEMENTS -> "cannot call " + name + (isObject ? " on a non-array" : " on a scalar");
    };
  }

  private abstract class Parts implements Rows {
    final Value part = new Value();
    private final int count;
    private int at;

    Parts(int count) {
      this.count = count;
    }

    /** Reads a field's name. */
    abstract void name(int index);

    /** Reads a field's value or an element. */
    abstract void value(int index);

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int row = 0;
      for (; row < maxRows && at < count; row++, at++) {
        int column = 0;
        if (form != Form.ELEMENTS) {
          name(at);
          out.columns[column++].set(row, part);
        }
        if (form != Form.NAMES) {
          value(at);
          out.columns[column].set(row, part);
          if (!part.isNull && part.len > LONG_VALUE) {
            out.checkSize();
          }
        }
      }
      out.size = row;
      return row > 0;
    }
  }

  private final class OfJson extends Parts {
    private final JsonChildren children;

    OfJson(JsonChildren children) {
      super(children.count());
      this.children = children;
    }

    @Override
    void name(int index) {
      children.name(index, part);
    }

    @Override
    void value(int index) {
      if (asText) {
        children.getText(index, part);
      } else {
        children.get(index, part);
      }
    }
  }

  private final class OfJsonb extends Parts {
    private final JsonbView view;
    private final JsonbView inner = new JsonbView();

    OfJsonb(JsonbView view) {
      super(view.count());
      this.view = view;
    }

    @Override
    void name(int index) {
      part.setBytes(view.bytes(), view.nameOffset(index), view.nameLength(index));
    }

    @Override
    void value(int index) {
      view.child(index, inner);
      if (!asText) {
        inner.get(part);
        return;
      }
      switch (inner.kind()) {
        case NULL -> part.setNull();
        case STRING -> part.setBytes(inner.bytes(), inner.offset(), inner.stringLength());
        default -> {
          ByteSink text = new ByteSink(32, ByteSink.LARGEST_VALUE);
          JsonbText.write(inner, text);
          part.setBytes(text.array, 0, text.length);
        }
      }
    }
  }
}
