package io.gauss.compute.session.prepared;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgStatement;
import org.junit.jupiter.api.Test;

class RecentStatementsTest {
  private final RecentStatements recent = new RecentStatements();

  private PreparedStatement of(int characters) {
    String text = "x".repeat(characters);
    return recent.of(new ParsedStatement(new PgStatement.Empty(), text, 0, 0), new int[0], null);
  }

  @Test
  void aStatementOfTheSamePlanIsUsedAgain() {
    assertSame(of(StatementParser.LONGEST_CACHED), of(StatementParser.LONGEST_CACHED));
  }

  /** Sixteen of them could take more than all that is counted. */
  @Test
  void aLongOneIsNotKept() {
    int tooLong = StatementParser.LONGEST_CACHED + 1;
    assertNotSame(of(tooLong), of(tooLong));
  }
}
