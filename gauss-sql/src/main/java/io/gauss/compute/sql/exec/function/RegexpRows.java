package io.gauss.compute.sql.exec.function;

import io.gauss.compute.expr.text.RegexpMatches;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/** {@code regexp_matches(text, pattern [, flags])}: a row for each match. Immutable. */
public final class RegexpRows implements RowProducer {
  public static final RegexpRows INSTANCE = new RegexpRows();

  private RegexpRows() {}

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    for (Value argument : arguments) {
      if (argument.isNull) {
        return (out, maxRows) -> false;
      }
    }
    String options = "";
    if (arguments.length > 2) {
      Value flags = arguments[2];
      options = new String(flags.bytes, flags.off, flags.len, StandardCharsets.UTF_8);
    }
    Iterator<Value> matches =
        RegexpMatches.all(ctx.eval, arguments[0], arguments[1], options).iterator();
    return (out, maxRows) -> fill(matches, out, maxRows);
  }

  private static boolean fill(Iterator<Value> matches, RowBatch out, int maxRows) {
    int row = 0;
    for (; row < maxRows && matches.hasNext(); row++) {
      out.columns[0].set(row, matches.next());
    }
    out.size = row;
    return row > 0;
  }
}
