package io.gauss.server;

import java.io.PrintWriter;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints a result set as an aligned table; wide enough for the first rows, which are held in
 * memory.
 */
final class ResultPrinter {
  private static final int ROWS_HELD = 1000;

  private ResultPrinter() {}

  static void print(ResultSet rows, PrintWriter out) throws SQLException {
    ResultSetMetaData meta = rows.getMetaData();
    int columns = meta.getColumnCount();
    String[] names = new String[columns];
    int[] widths = new int[columns];
    for (int i = 0; i < columns; i++) {
      names[i] = meta.getColumnLabel(i + 1);
      widths[i] = names[i].length();
    }
    long count = 0;
    boolean headerPrinted = false;
    List<String[]> held = new ArrayList<>();
    boolean more = true;
    while (more) {
      held.clear();
      while (held.size() < ROWS_HELD && (more = rows.next())) {
        String[] row = new String[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = rows.getString(i + 1);
          widths[i] = Math.max(widths[i], row[i] == null ? 0 : row[i].length());
        }
        held.add(row);
      }
      if (!headerPrinted) {
        printRow(names, widths, out);
        out.println("-".repeat(java.util.Arrays.stream(widths).sum() + 3 * (columns - 1) + 2));
        headerPrinted = true;
      }
      for (String[] row : held) {
        printRow(row, widths, out);
      }
      count += held.size();
    }
    out.println("(" + count + (count == 1 ? " row)" : " rows)"));
  }

  private static void printRow(String[] row, int[] widths, PrintWriter out) {
    StringBuilder line = new StringBuilder(" ");
    for (int i = 0; i < row.length; i++) {
      String value = row[i] == null ? "" : row[i];
      line.append(value).append(" ".repeat(Math.max(0, widths[i] - value.length())));
      if (i < row.length - 1) {
        line.append(" | ");
      }
    }
    out.println(line.toString().stripTrailing());
  }
}
