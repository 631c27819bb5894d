package io.gauss.compute.sql.copy;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.row.RowBatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Rows of the text and csv formats. */
final class LineRows extends CopyRows {
  private static final int NO_COLUMN = -1;

  private final CopyOptions options;
  private final CopyColumns columns;
  private final CopyBuffer buffer;
  private final LineReader lines;
  private final Fields fields;
  private final boolean[] forceNotNull;
  private final boolean[] forceNull;
  private int column = NO_COLUMN;
  private boolean columnIsNull;

  LineRows(String table, CopyOptions options, CopyColumns columns, CopyBuffer buffer) {
    super(table);
    this.options = options;
    this.columns = columns;
    this.buffer = buffer;
    this.lines = new LineReader(buffer, options);
    this.fields = options.isCsv() ? new CsvFields(options) : new TextFields(options);
    this.forceNotNull = new boolean[columns.count()];
    this.forceNull = new boolean[columns.count()];
    for (int i = 0; i < columns.count(); i++) {
      forceNotNull[i] = options.forceNotNull().contains(columns.name(i));
      forceNull[i] = options.forceNull().contains(columns.name(i));
    }
  }

  @Override
  public boolean next(RowBatch row) {
    column = NO_COLUMN;
    if (lines.number == 0 && options.header() != CopyOptions.Header.NONE && !header()) {
      return false;
    }
    if (!lines.next()) {
      return false;
    }
    int expected = columns.count();
    if (expected == 0) {
      if (lines.to > lines.from) {
        throw extraData();
      }
      return true;
    }
    int count = fields.split(buffer.bytes, lines.from, lines.to);
    if (count > expected) {
      throw extraData();
    }
    for (int i = 0; i < expected; i++) {
      if (i >= count) {
        column = NO_COLUMN;
        throw new GaussException(
            SqlState.BAD_COPY_FILE_FORMAT,
            "missing data for column \"%s\"".formatted(columns.name(i)));
      }
      column = i;
      read(row, i);
    }
    column = NO_COLUMN;
    return true;
  }

  private static GaussException extraData() {
    return new GaussException(
        SqlState.BAD_COPY_FILE_FORMAT, "extra data after last expected column");
  }

  private void read(RowBatch row, int i) {
    byte[] nullText = options.nullText();
    boolean isNull = fields.isNull(i);
    if (isNull && forceNotNull[i]) {
      columnIsNull = false;
      columns.readText(row, i, nullText, 0, nullText.length);
      return;
    }
    if (!isNull
        && forceNull[i]
        && Fields.isEqual(fields.array(i), fields.start(i), fields.length(i), nullText)) {
      isNull = true;
    }
    columnIsNull = isNull;
    if (isNull) {
      columns.setNull(row, i);
    } else {
      columns.readText(row, i, fields.array(i), fields.start(i), fields.length(i));
    }
  }

  /** Reads the header line; false when there is nothing after it. */
  private boolean header() {
    boolean more = lines.next();
    if (options.header() == CopyOptions.Header.MATCH) {
      match(fields.split(buffer.bytes, lines.from, lines.to));
    }
    return more;
  }

  private void match(int count) {
    int expected = columns.count();
    if (count != expected) {
      throw new GaussException(
          SqlState.BAD_COPY_FILE_FORMAT,
          "wrong number of fields in header line: got %d, expected %d".formatted(count, expected));
    }
    for (int i = 0; i < count; i++) {
      String name = columns.name(i);
      byte[] nullText = options.nullText();
      if (fields.isNull(i)) {
        throw new GaussException(
            SqlState.BAD_COPY_FILE_FORMAT,
            "column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\""
                .formatted(i + 1, new String(nullText, StandardCharsets.UTF_8), name));
      }
      byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
      int start = fields.start(i);
      int end = start + fields.length(i);
      if (!Arrays.equals(fields.array(i), start, end, wanted, 0, wanted.length)) {
        throw new GaussException(
            SqlState.BAD_COPY_FILE_FORMAT,
            "column name mismatch in header line field %d: got \"%s\", expected \"%s\""
                .formatted(
                    i + 1,
                    new String(fields.array(i), start, end - start, StandardCharsets.UTF_8),
                    name));
      }
    }
  }

  @Override
  public String context() {
    if (column != NO_COLUMN) {
      return columnIsNull
          ? "%s, column %s: null input".formatted(lineContext(), columns.name(column))
          : "%s, column %s: \"%s\""
              .formatted(
                  lineContext(),
                  columns.name(column),
                  fields.isNull(column)
                      ? new String(options.nullText(), StandardCharsets.UTF_8)
                      : shown(fields.array(column), fields.start(column), fields.length(column)));
    }
    return lines.isComplete
        ? "%s: \"%s\""
            .formatted(lineContext(), shown(buffer.bytes, lines.from, lines.to - lines.from))
        : lineContext();
  }

  @Override
  public long line() {
    return lines.number;
  }
}
