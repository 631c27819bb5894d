package io.gauss.compute.session.message;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.plan.ResultColumn;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.util.List;

/**
 * Encodes result rows as DataRow bodies in the formats that a portal requests. One per portal; not
 * thread-safe.
 */
public final class RowEncoder {
  private final TypeCodec[] codecs;
  private final boolean[] binary;
  private final TypeContext context;
  private final Value value = new Value();

  public RowEncoder(List<ResultColumn> columns, short[] formats, TypeContext context) {
    this.context = context;
    this.codecs = new TypeCodec[columns.size()];
    this.binary = new boolean[columns.size()];
    for (int i = 0; i < codecs.length; i++) {
      codecs[i] = TypeCodec.of(columns.get(i).type());
      binary[i] = formats[i] == 1;
    }
  }

  /** Appends column count, lengths and values of a row. */
  public void encode(RowBatch batch, int row, ByteSink sink) {
    sink.putShort(codecs.length);
    for (int i = 0; i < codecs.length; i++) {
      batch.columns[i].get(row, value);
      int lengthAt = sink.length;
      if (value.isNull) {
        sink.putInt(-1);
        continue;
      }
      sink.putInt(0);
      if (binary[i]) {
        codecs[i].writeBinary(value, sink);
      } else {
        codecs[i].writeText(value, context, sink);
      }
      sink.setInt(lengthAt, sink.length - lengthAt - Integer.BYTES);
    }
  }
}
