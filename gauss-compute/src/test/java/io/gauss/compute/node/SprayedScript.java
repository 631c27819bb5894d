package io.gauss.compute.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Runs a script with each statement in a session at random, of several that are on different nodes.
 * A transaction block stays where it began; what depends on the session goes to one of them
 * throughout; settings are made in all.
 */
final class SprayedScript {
  private final List<Connection> sessions;
  private final Random random;
  private final int home;
  private final SessionState state = new SessionState();
  private final int[] statements;
  private Connection last;

  /**
   * @param statements counts, for each session, what it has run
   */
  SprayedScript(List<Connection> sessions, Random random, int[] statements) {
    this.sessions = sessions;
    this.random = random;
    home = random.nextInt(sessions.size());
    this.statements = statements;
    last = sessions.get(home);
  }

  /** Answers as those of {@link SqlScript#run}. */
  List<String> run(List<String> script) throws SQLException {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < script.size(); i++) {
      answers.add(script.get(i) + ";\n" + answer(script, i));
    }
    return answers;
  }

  private String answer(List<String> script, int index) throws SQLException {
    String sql = script.get(index);
    if (isInBlock(last)) {
      return answerOf(last, sql);
    }
    boolean here = state.isNeeded(script, index);
    int session = here ? home : random.nextInt(sessions.size());
    last = sessions.get(session);
    String answer = answerOf(last, sql);
    if (SessionState.isForAll(sql) && !state.hasOwnSettings()) {
      for (Connection other : sessions) {
        if (other != last) {
          assertEquals(answer, SqlScript.answer(sql, other), sql);
        }
      }
    }
    return answer;
  }

  private String answerOf(Connection session, String sql) throws SQLException {
    statements[sessions.indexOf(session)]++;
    return SqlScript.answer(sql, session);
  }

  private static boolean isInBlock(Connection session) throws SQLException {
    return session.unwrap(BaseConnection.class).getQueryExecutor().getTransactionState()
        != TransactionState.IDLE;
  }
}
