package io.gauss.jdbc.nodes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Statements that begin, end and fill transactions, sent in one of the ways that JDBC has, with
 * what must have become of each row when they are answered. All of them together are every way to
 * send BEGIN and COMMIT: {@link #all}. Rows are numbers, told apart by {@code first}.
 */
record CommitScript(boolean autoCommit, List<Step> steps) {
  /** How statements are sent. */
  enum Way {
    /** As one text. */
    TEXT,
    BATCH,
    /** Each prepared and sent by itself. */
    PREPARED,
    /** The methods of Connection for those that end transactions, texts for the others. */
    CALLS
  }

  /** Statements. */
  enum Sent {
    BEGIN("BEGIN"),
    START("START TRANSACTION"),
    COMMIT("COMMIT"),
    END("/* it */ end -- now\r"),
    CHAIN("COMMIT AND CHAIN"),
    ROLLBACK("ROLLBACK"),
    ROLLBACK_CHAIN("ROLLBACK AND CHAIN"),
    WRITE("INSERT INTO seen VALUES (%d)"),
    READ("SELECT 1 FROM seen LIMIT 1");

    private final String text;

    Sent(String text) {
      this.text = text;
    }
  }

  /** Statements that are sent at once. */
  record Step(Way way, List<Sent> sent) {}

  private static final List<Sent> SHORT =
      List.of(Sent.BEGIN, Sent.COMMIT, Sent.ROLLBACK, Sent.WRITE, Sent.CHAIN);

  /**
   * Up to three statements in each way, in and outside a transaction; those that follow make the
   * longest text of four.
   */
  static List<CommitScript> all() {
    List<List<Sent>> texts = new ArrayList<>();
    for (Sent one : Sent.values()) {
      texts.add(List.of(one));
    }
    for (Sent one : SHORT) {
      for (Sent two : SHORT) {
        texts.add(List.of(one, two));
        for (Sent three : SHORT) {
          texts.add(List.of(one, two, three));
        }
      }
    }
    texts.add(List.of(Sent.READ, Sent.END));
    texts.add(List.of(Sent.READ, Sent.COMMIT, Sent.START, Sent.WRITE));
    texts.add(List.of(Sent.ROLLBACK_CHAIN, Sent.WRITE, Sent.END));
    List<CommitScript> all = new ArrayList<>();
    for (List<Sent> text : texts) {
      for (Way way : Way.values()) {
        Step step = new Step(way, text);
        Step write = new Step(Way.TEXT, List.of(Sent.WRITE));
        all.add(new CommitScript(true, List.of(step)));
        all.add(new CommitScript(false, List.of(step)));
        all.add(new CommitScript(false, List.of(write, step)));
        all.add(
            new CommitScript(true, List.of(new Step(way, List.of(Sent.BEGIN, Sent.WRITE)), step)));
      }
    }
    all.removeIf(script -> !script.isAllowed());
    return all;
  }

  /** AND CHAIN is refused outside a block. */
  private boolean isAllowed() {
    boolean isBlock = false;
    for (Step step : steps) {
      isBlock |= !autoCommit;
      for (Sent sent : step.sent) {
        switch (sent) {
          case BEGIN, START -> isBlock = true;
          case COMMIT, END, ROLLBACK -> isBlock = !autoCommit && isOneByOne(step);
          case CHAIN, ROLLBACK_CHAIN -> {
            if (!isBlock) {
              return false;
            }
          }
          case WRITE, READ -> {
            // changes nothing about it
          }
        }
      }
    }
    return true;
  }

  /** Whether pgjdbc begins a transaction for each statement. */
  private static boolean isOneByOne(Step step) {
    return step.way == Way.PREPARED || step.way == Way.CALLS;
  }

  /** What must be true of rows. */
  static final class Rows {
    final Set<Integer> committed = new HashSet<>();
    final Set<Integer> open = new HashSet<>(); // written by the transaction that is open
    final Set<Integer> sent = new HashSet<>(); // by the step that failed, in any transaction
    int next;
    boolean isBlock;

    Rows(int first) {
      next = first;
    }
  }

  /**
   * Sends everything up to the first failure.
   *
   * @param isSimple by pgjdbc's simple mode, where a batch's statements are queries of their own
   */
  void run(Connection connection, Rows rows, boolean isSimple) throws SQLException {
    for (Step step : steps) {
      rows.sent.clear();
      int first = rows.next;
      List<String> texts = new ArrayList<>();
      for (Sent sent : step.sent) {
        if (sent == Sent.WRITE) {
          rows.sent.add(rows.next);
        }
        texts.add(sent.text.formatted(rows.next));
        rows.next += sent == Sent.WRITE ? 1 : 0;
      }
      if (step.way == Way.TEXT || step.way == Way.BATCH && step.sent.contains(Sent.READ)) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(String.join(";", texts));
        }
        answered(step.sent, first, rows, !autoCommit);
      } else if (step.way == Way.BATCH) {
        batch(connection, texts); // of which there are no results
        if (isSimple) {
          boolean isBegun = !autoCommit;
          int row = first;
          for (Sent sent : step.sent) {
            answered(List.of(sent), row, rows, isBegun);
            isBegun = false;
            row += sent == Sent.WRITE ? 1 : 0;
          }
        } else {
          answered(step.sent, first, rows, !autoCommit);
        }
      } else {
        oneByOne(connection, step, texts, first, rows);
      }
    }
    rows.sent.clear();
  }

  private static void batch(Connection connection, List<String> texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.addBatch(text);
      }
      statement.executeBatch();
    }
  }

  private void oneByOne(Connection connection, Step step, List<String> texts, int first, Rows rows)
      throws SQLException {
    int row = first;
    for (int i = 0; i < texts.size(); i++) {
      Sent sent = step.sent.get(i);
      boolean isEnd = sent == Sent.COMMIT || sent == Sent.END || sent == Sent.ROLLBACK;
      rows.sent.clear();
      if (sent == Sent.WRITE) {
        rows.sent.add(row);
      }
      if (step.way == Way.CALLS && isEnd && !connection.getAutoCommit()) {
        if (sent == Sent.ROLLBACK) {
          connection.rollback();
        } else {
          connection.commit();
        }
      } else {
        try (PreparedStatement statement = connection.prepareStatement(texts.get(i))) {
          statement.execute();
        }
      }
      answered(List.of(sent), row, rows, !autoCommit);
      row += sent == Sent.WRITE ? 1 : 0;
    }
  }

  /**
   * All of it has succeeded.
   *
   * @param isBegun pgjdbc has begun a transaction, unless one was open
   */
  private static void answered(List<Sent> sent, int first, Rows rows, boolean isBegun) {
    int row = first;
    rows.isBlock |= isBegun;
    for (Sent one : sent) {
      switch (one) {
        case BEGIN, START -> rows.isBlock = true;
        case COMMIT, END, CHAIN -> {
          rows.committed.addAll(rows.open);
          rows.open.clear();
          rows.isBlock &= one == Sent.CHAIN;
        }
        case ROLLBACK, ROLLBACK_CHAIN -> {
          // Outside a block it has nothing to roll back but what came before it in its text.
          rows.open.clear();
          rows.isBlock &= one == Sent.ROLLBACK_CHAIN;
        }
        case WRITE -> rows.open.add(row++);
        case READ -> {
          // changes nothing
        }
      }
    }
    if (!rows.isBlock) {
      rows.committed.addAll(rows.open);
      rows.open.clear();
    }
  }

  static CommitScript any(List<CommitScript> all, RandomGenerator random) {
    return all.get(random.nextInt(all.size()));
  }
}
