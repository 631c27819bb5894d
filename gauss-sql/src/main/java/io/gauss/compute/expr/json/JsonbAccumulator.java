package io.gauss.compute.expr.json;

import io.gauss.compute.expr.Accumulator;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.type.JsonbBuilder;
import io.gauss.compute.type.JsonbView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;

/** jsonb_agg with one argument, jsonb_object_agg with two: an array or object that is not ended. */
final class JsonbAccumulator extends Accumulator {
  private final JsonForm[] forms;

  /** Null before the first row. */
  private JsonbBuilder builder;

  JsonbAccumulator(PgType[] types) {
    forms = JsonForm.of(types);
  }

  private boolean isObject() {
    return forms.length == 2;
  }

  private void begin() {
    if (builder != null) {
      return;
    }
    builder = new JsonbBuilder();
    if (isObject()) {
      builder.objectStart();
    } else {
      builder.arrayStart();
    }
  }

  @Override
  public void add(EvalContext ctx, Value[] arguments) {
    begin();
    if (isObject()) {
      if (arguments[0].isNull) {
        throw JsonAccumulator.noName();
      }
      forms[0].addName(ctx, arguments[0], builder);
    }
    forms[forms.length - 1].add(ctx, arguments[forms.length - 1], builder);
  }

  @Override
  public void merge(EvalContext ctx, Accumulator other) {
    Value more = new Value();
    other.result(ctx, more);
    if (more.isNull) {
      return;
    }
    begin();
    JsonbView view = new JsonbView(more);
    JsonbView inner = new JsonbView();
    for (int i = 0; i < view.count(); i++) {
      if (isObject()) {
        builder.name(view.bytes(), view.nameOffset(i), view.nameLength(i));
      }
      view.child(i, inner);
      builder.node(inner);
    }
  }

  @Override
  public void result(EvalContext ctx, Value out) {
    if (builder == null) {
      out.setNull();
      return;
    }
    JsonbBuilder whole = builder.copy();
    if (isObject()) {
      whole.objectEnd();
    } else {
      whole.arrayEnd();
    }
    whole.finish(out);
  }

  @Override
  public void reset() {
    builder = null;
  }

  @Override
  public int memorySize() {
    return builder == null ? 64 : 256 + builder.bytes();
  }
}
