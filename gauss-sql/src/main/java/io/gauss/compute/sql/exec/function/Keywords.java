package io.gauss.compute.sql.exec.function;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.RowProducer;
import io.gauss.compute.type.Value;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * {@code pg_get_keywords()}: PostgreSQL 15's keywords. Drivers use them to decide which names need
 * quotes. The resource has a line for each: word, category, whether it can be a bare label.
 */
public final class Keywords {
  /** Rows (word, catcode, barelabel, catdesc, baredesc). */
  public static final RowProducer ROWS = (ctx, arguments) -> new Lines();

  private static final List<String[]> ALL = read();

  private Keywords() {}

  private static List<String[]> read() {
    try (InputStream in =
            Objects.requireNonNull(Keywords.class.getResourceAsStream("keywords.txt"));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
      return lines.lines().map(line -> line.split(" ")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String category(String code) {
    return switch (code) {
      case "U" -> "unreserved";
      case "C" -> "unreserved (cannot be function or type name)";
      case "T" -> "reserved (can be function or type name)";
      default -> "reserved";
    };
  }

  private static final class Lines implements RowProducer.Rows {
    private final Value scratch = new Value();
    private int at;

    @Override
    public boolean next(RowBatch out, int maxRows) {
      int row = 0;
      for (; row < maxRows && at < ALL.size(); row++, at++) {
        String[] line = ALL.get(at);
        boolean bare = line[2].equals("t");
        text(out, 0, row, line[0]);
        text(out, 1, row, line[1]);
        out.columns[2].setLong(row, bare ? 1 : 0);
        text(out, 3, row, category(line[1]));
        text(out, 4, row, bare ? "can be bare label" : "requires AS");
      }
      out.size = row;
      return row > 0;
    }

    private void text(RowBatch out, int column, int row, String text) {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      scratch.setBytes(bytes, 0, bytes.length);
      out.columns[column].set(row, scratch);
    }
  }
}
