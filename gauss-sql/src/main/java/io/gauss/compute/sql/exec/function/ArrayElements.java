package io.gauss.compute.sql.exec.function;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.sql.exec.row.Rows;
import io.gauss.compute.sql.exec.row.Values;
import io.gauss.compute.type.ArrayReader;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;

/** One row for each element of an array: {@code unnest} and similar functions. Immutable. */
public final class ArrayElements implements RowProducer {
  /** The content of a row. */
  public enum Form {
    /** The element. */
    ELEMENT,
    /** The element and its number from 1: {@code information_schema._pg_expandarray}. */
    NUMBERED,
    /**
     * The element's subscript: {@code generate_subscripts}, whose second argument is 1; the third
     * reverses the order.
     */
    SUBSCRIPT
  }

  private final PgType element;
  private final Form form;

  public ArrayElements(PgType element, Form form) {
    this.element = element;
    this.form = form;
  }

  @Override
  public Rows open(ExecContext ctx, Value[] arguments) {
    boolean none =
        arguments[0].isNull
            || (form == Form.SUBSCRIPT && (arguments[1].isNull || arguments[1].l != 1))
            || (arguments.length > 2 && arguments[2].isNull);
    if (none) {
      return (out, maxRows) -> false;
    }
    Value array = new Value();
    Values.copy(arguments[0], array, null);
    boolean reversed = arguments.length > 2 && arguments[2].l != 0;
    return new Elements(new ArrayReader(array), reversed);
  }

  private final class Elements implements Rows {
    private final ArrayReader reader;
    private final TypeCodec codec = TypeCodec.of(element);
    private final Value item = new Value();
    private final boolean reversed;
    private int at;

    Elements(ArrayReader reader, boolean reversed) {
      this.reader = reader;
      this.reversed = reversed;
    }

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int row = 0;
      for (; row < maxRows && at < reader.size(); row++, at++) {
        if (form == Form.SUBSCRIPT) {
          int index = reversed ? reader.size() - 1 - at : at;
          out.columns[0].setLong(row, reader.lowerBound() + index);
          continue;
        }
        reader.next(codec, item);
        out.columns[0].set(row, item);
        if (form == Form.NUMBERED) {
          out.columns[1].setLong(row, at + 1);
        }
      }
      out.size = row;
      return row > 0;
    }
  }
}
