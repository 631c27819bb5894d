package io.gauss.compute.sql.exec.function;

import io.gauss.compute.expr.Texts;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.type.Value;
import java.util.Iterator;

/** {@code pg_listening_channels()}: the channels to which the session listens. Immutable. */
public final class ListeningChannels implements RowProducer {
  public static final ListeningChannels INSTANCE = new ListeningChannels();

  private ListeningChannels() {}

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    Iterator<String> channels = ctx.eval.notify.listening().iterator();
    Value name = new Value();
    return (out, maxRows) -> fill(ctx, channels, name, out, maxRows);
  }

  private static boolean fill(
      ExecContext ctx, Iterator<String> channels, Value name, RowBatch out, int maxRows) {
    int row = 0;
    for (; row < maxRows && channels.hasNext(); row++) {
      Texts.set(ctx.eval, channels.next(), name);
      out.columns[0].set(row, name);
    }
    out.size = row;
    return row > 0;
  }
}
