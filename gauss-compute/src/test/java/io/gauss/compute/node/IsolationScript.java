package io.gauss.compute.node;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * A scenario of several sessions, statement by statement.
 *
 * <pre>
 * a: SQL      session a runs it, and it ends
 * a! SQL      session a runs it, and it has to wait for somebody
 * a&lt;          the statement that waited ends now
 *   lines     what came back: rows with | between columns, "OK n", or "ERROR state: message"
 * </pre>
 *
 * Lines that begin with # are comments. The result of a run is the script as it should have been:
 * equal to the script if all went as expected.
 */
final class IsolationScript {
  private static final long PATIENCE_SECONDS = 120;

  private final UnaryOperator<String> urls;
  private final IntSupplier waiting;
  private final Map<String, Connection> sessions = new TreeMap<>();
  private final Map<String, FutureTask<List<String>>> blocked = new TreeMap<>();

  /**
   * @param urls where each session connects to, by its name
   * @param waiting how many sessions of all these servers wait for a lock now
   */
  IsolationScript(UnaryOperator<String> urls, IntSupplier waiting) {
    this.urls = urls;
    this.waiting = waiting;
  }

  /** Runs the script and returns its trace. */
  List<String> run(List<String> script) throws Exception {
    List<String> trace = new ArrayList<>();
    try {
      for (String line : script) {
        if (line.startsWith("#") || line.isBlank()) {
          trace.add(line);
        } else if (!line.startsWith(" ")) {
          trace.add(line);
          step(line, trace);
        }
      }
    } finally {
      for (Connection session : sessions.values()) {
        session.close();
      }
    }
    return trace;
  }

  private void step(String line, List<String> trace) throws Exception {
    int end = 0;
    while (Character.isLetterOrDigit(line.charAt(end))) {
      end++;
    }
    String name = line.substring(0, end);
    String sql = line.substring(end + 1).strip();
    switch (line.charAt(end)) {
      case ':' -> append(trace, start(name, sql));
      case '!' -> {
        int before = waitingNow();
        FutureTask<List<String>> task = start(name, sql);
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (waiting.getAsInt() <= before) {
          if (System.nanoTime() > patience) {
            throw new IllegalStateException("neither done nor waiting: " + line);
          }
          if (task.isDone()) {
            trace.add("  did not wait");
            append(trace, task);
            return;
          }
          Thread.onSpinWait();
        }
        blocked.put(name, task);
      }
      case '<' -> append(trace, blocked.remove(name));
      default -> throw new IllegalArgumentException(line);
    }
  }

  /**
   * How many wait before a step. On several nodes one whose wait is over may count for a moment
   * more, until its last message has arrived.
   */
  private int waitingNow() {
    long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    int count = waiting.getAsInt();
    while (count > blocked.size() && System.nanoTime() < patience) {
      Thread.onSpinWait();
      count = waiting.getAsInt();
    }
    return count;
  }

  private static void append(List<String> trace, FutureTask<List<String>> task) throws Exception {
    if (task == null) {
      return; // did not wait, which the trace says already
    }
    try {
      for (String result : task.get(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        trace.add("  " + result);
      }
    } catch (TimeoutException e) {
      trace.add("  still waiting");
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private FutureTask<List<String>> start(String name, String sql) throws SQLException {
    if (!sessions.containsKey(name)) {
      sessions.put(name, DriverManager.getConnection(urls.apply(name)));
    }
    Connection session = sessions.get(name);
    Callable<List<String>> work = () -> execute(session, sql);
    FutureTask<List<String>> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  private static List<String> execute(Connection session, String sql) {
    List<String> lines = new ArrayList<>();
    try (Statement statement = session.createStatement()) {
      if (statement.execute(sql)) {
        rows(statement.getResultSet(), lines);
      } else {
        lines.add("OK " + statement.getUpdateCount());
      }
    } catch (SQLException e) {
      String message = e.getMessage();
      int lineEnd = message.indexOf('\n');
      lines.add(
          (lineEnd < 0 ? message : message.substring(0, lineEnd))
              .replaceFirst("^ERROR:", "ERROR " + e.getSQLState() + ":"));
    }
    return lines;
  }

  private static void rows(ResultSet results, List<String> lines) throws SQLException {
    int columns = results.getMetaData().getColumnCount();
    while (results.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        row.append(i == 1 ? "" : "|").append(results.getString(i));
      }
      lines.add(row.toString());
    }
    if (lines.isEmpty()) {
      lines.add("no rows");
    }
  }
}
