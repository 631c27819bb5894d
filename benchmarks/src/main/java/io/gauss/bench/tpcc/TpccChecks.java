package io.gauss.bench.tpcc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Consistency conditions 1 to 4 of TPC-C 5.11, clause 3.3.2. Each query counts the rows that
 * violate its condition.
 */
final class TpccChecks {
  private record Condition(String text, String query) {}

  private static final List<Condition> CONDITIONS =
      List.of(
          new Condition(
              "condition 1: w_ytd = sum(d_ytd) of its districts",
              """
              SELECT count(*) FROM warehouse w
              JOIN (SELECT d_w_id, sum(d_ytd) AS ytd FROM district GROUP BY d_w_id) d
                ON d.d_w_id = w.w_id
              WHERE w.w_ytd <> d.ytd
              """),
          new Condition(
              "condition 2: d_next_o_id - 1 = max(o_id)",
              """
              SELECT count(*) FROM district d
              JOIN (SELECT o_w_id, o_d_id, max(o_id) AS newest FROM oorder
                    GROUP BY o_w_id, o_d_id) o
                ON o.o_w_id = d.d_w_id AND o.o_d_id = d.d_id
              WHERE d.d_next_o_id - 1 <> o.newest
              """),
          new Condition(
              "condition 2: max(o_id) = max(no_o_id)",
              """
              SELECT count(*) FROM district d
              JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS newest FROM new_order
                    GROUP BY no_w_id, no_d_id) o
                ON o.no_w_id = d.d_w_id AND o.no_d_id = d.d_id
              WHERE d.d_next_o_id - 1 <> o.newest
              """),
          new Condition(
              "condition 3: max(no_o_id) - min(no_o_id) + 1 = number of new orders",
              """
              SELECT count(*) FROM
              (SELECT no_w_id, no_d_id, max(no_o_id) - min(no_o_id) + 1 AS span, count(*) AS held
               FROM new_order GROUP BY no_w_id, no_d_id) n
              WHERE n.span <> n.held
              """),
          new Condition(
              "condition 4: sum(o_ol_cnt) = number of order lines",
              """
              SELECT count(*) FROM
              (SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS told FROM oorder GROUP BY o_w_id, o_d_id) o
              JOIN (SELECT ol_w_id, ol_d_id, count(*) AS held FROM order_line
                    GROUP BY ol_w_id, ol_d_id) l
                ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id
              WHERE o.told <> l.held
              """));

  private TpccChecks() {}

  static List<String> violations(Connection connection) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      for (Condition condition : CONDITIONS) {
        try (ResultSet rows = statement.executeQuery(condition.query())) {
          rows.next();
          if (rows.getLong(1) != 0) {
            found.add(condition.text() + " fails in " + rows.getLong(1) + " groups");
          }
        }
      }
    }
    return found;
  }
}
