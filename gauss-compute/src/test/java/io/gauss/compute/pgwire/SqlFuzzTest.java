package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.engine.Seeds;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whatever text comes in, out comes a result or an error that has a proper SQLSTATE, soon, and the
 * session continues. Scripts run statement by statement, so that the tables which they speak of are
 * there, and after each statement come changed forms of it.
 */
class SqlFuzzTest {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  private static final int MUTANTS_PER_STATEMENT = 4;

  /** Of the role that the sessions have, else all that follows is refused. */
  private static final Pattern SAWS_ITS_BRANCH_OFF =
      Pattern.compile("(?is).*\\b(role|user|group|revoke|owner|authorization)\\b.*");

  private static final Pattern ERROR = Pattern.compile("(?m)^(ERROR|FATAL) (\\S{5}) (.*)$");

  private final List<String> failures = new ArrayList<>();
  private WireClient client;

  @Test
  void changedStatementsGetAnAnswer() throws IOException {
    fuzz(2_500, 10_000_000_000L);
  }

  @Test
  @Tag("long")
  void manyChangedStatementsGetAnAnswer() throws IOException {
    long seconds = Long.getLong("gauss.fuzz.seconds", 600);
    fuzz(Integer.MAX_VALUE, seconds * 1_000_000_000L);
  }

  private void fuzz(int statements, long nanos) throws IOException {
    long seed = Seeds.next();
    Random random = new Random(seed);
    MutatedSql sql = new MutatedSql(random);
    long end = System.nanoTime() + nanos;
    int done = 0;
    client = start();
    while (done < statements && System.nanoTime() < end && failures.size() < 20) {
      List<String> script = sql.script();
      int from = 0;
      for (String original : script) {
        ask(original, false);
        for (int i = 0; i < MUTANTS_PER_STATEMENT; i++, done++) {
          ask(sql.mutate(original), random.nextInt(3) == 0);
        }
        if (done >= statements && ++from > 50 || System.nanoTime() > end) {
          break;
        }
      }
      client.close();
      client = start();
    }
    client.close();
    System.getLogger("fuzz").log(System.Logger.Level.INFO, done + " statements");
    assertEquals("", String.join("\n\n", failures), "-Dgauss.seed=" + seed);
  }

  private static WireClient start() throws IOException {
    WireClient started = WireClient.started(NODE.port(), "gauss");
    started.query("RESET ROLE");
    started.query("SET statement_timeout = '2s'");
    started.query("SET lock_timeout = '1s'");
    return started;
  }

  private void ask(String sql, boolean extended) throws IOException {
    if (SAWS_ITS_BRANCH_OFF.matcher(sql).matches() || sql.contains("\0")) {
      return;
    }
    String answer;
    try {
      if (extended) {
        answer =
            client.ask(
                WireMessages.parse("", sql),
                WireMessages.describe('S', ""),
                WireMessages.bind("", ""),
                WireMessages.execute("", 0),
                WireMessages.sync());
      } else {
        client.send(WireMessages.query(sql));
        if (sql.toLowerCase(Locale.ROOT).contains("copy")) {
          // Ends the data that a COPY may ask for; ignored when it does not.
          client.send(WireMessages.copyDone());
        }
        answer = client.readUntilReady();
      }
    } catch (SocketTimeoutException e) {
      answer = "no answer";
    }
    String fault = fault(answer);
    if (fault != null) {
      failures.add((extended ? "extended: " : "simple: ") + sql + "\n  => " + fault);
    }
    if (answer.endsWith(WireClient.CLOSED) || answer.equals("no answer")) {
      client.close();
      client = start();
    }
  }

  private static String fault(String answer) {
    if (answer.equals("no answer")) {
      return answer;
    }
    Matcher errors = ERROR.matcher(answer);
    while (errors.find()) {
      String state = errors.group(2);
      if (errors.group(1).equals("FATAL")
          || state.startsWith("XX")
          || state.startsWith("58")
          || (state.startsWith("08") && !errors.group(3).startsWith("bind message"))) {
        return errors.group();
      }
    }
    return answer.endsWith(WireClient.CLOSED) ? "closed" : null;
  }
}
