package io.gauss.compute.expr.json;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/** json_agg with one argument, json_object_agg with two: the text so far, without its end. */
final class JsonAccumulator extends Accumulator {
  private final JsonForm[] forms;
  private final ByteSink text = JsonBuildLibrary.text();
  private boolean isFirstNull;

  JsonAccumulator(PgType[] types) {
    forms = JsonForm.of(types);
  }

  private boolean isObject() {
    return forms.length == 2;
  }

  private String separator() {
    return !isObject() && forms[0].isStructured() ? ", \n " : ", ";
  }

  static GaussException noName() {
    return new GaussException(SqlState.INVALID_PARAMETER_VALUE, "field name must not be null");
  }

  @Override
  public void add(EvalContext ctx, Value[] arguments) {
    if (isObject() && arguments[0].isNull) {
      throw noName();
    }
    if (text.length > 0) {
      text.putString(arguments[0].isNull ? ", " : separator());
    } else {
      isFirstNull = arguments[0].isNull;
    }
    if (isObject()) {
      forms[0].putName(ctx, arguments[0], text);
      text.putString(" : ");
    }
    forms[forms.length - 1].put(ctx, arguments[forms.length - 1], text);
  }

  @Override
  public void merge(EvalContext ctx, Accumulator other) {
    JsonAccumulator that = (JsonAccumulator) other;
    ByteSink more = that.text;
    if (more.length == 0) {
      return;
    }
    if (text.length > 0) {
      text.putString(that.isFirstNull ? ", " : separator());
    } else {
      isFirstNull = that.isFirstNull;
    }
    text.putBytes(more.array, 0, more.length);
  }

  @Override
  public void result(EvalContext ctx, Value out) {
    if (text.length == 0) {
      out.setNull();
      return;
    }
    int length = text.length;
    String begin = isObject() ? "{ " : "[";
    String end = isObject() ? " }" : "]";
    ByteSink whole = new ByteSink(length + begin.length() + end.length(), ByteSink.LARGEST_VALUE);
    whole.putString(begin);
    whole.putBytes(text.array, 0, length);
    whole.putString(end);
    out.setBytes(whole.array, 0, whole.length);
  }

  @Override
  public void reset() {
    text.clear();
    if (text.array.length > 1 << 20) {
      text.array = Arrays.copyOf(text.array, 64);
    }
  }

  @Override
  public int memorySize() {
    return 128 + text.array.length;
  }
}
