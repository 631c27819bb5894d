package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;

import io.gauss.compute.reference.ReferencePostgres;
import io.gauss.jdbc.nodes.Losses.Behind;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link Losses} of connections to PostgreSQL, of which two ways lead to the same database. */
@Timeout(1800)
class LossAtEveryByteTest {
  private static void lose(int runs) throws Exception {
    ReferencePostgres postgres = ReferencePostgres.get();
    String database = postgres.createDatabase();
    try (ByteCut first = new ByteCut(postgres.port());
        ByteCut second = new ByteCut(postgres.port());
        Connection one = DriverManager.getConnection(postgres.url(database))) {
      execute(one, "CREATE TABLE seen (i int)", "CREATE INDEX ON seen (i)");
      String url = "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/%s?user=gauss";
      new Losses()
          .losses(
              "PostgreSQL",
              url.formatted(first.port(), second.port(), database),
              new Behind(first, second, one, one),
              runs);
    } finally {
      postgres.dropDatabase(database);
    }
  }

  @Test
  void whatIsToldOfALossIsTrue() throws Exception {
    lose(Losses.FEW);
  }

  @Test
  @Tag("long")
  void whatIsToldOfManyLossesIsTrue() throws Exception {
    lose(Losses.MANY);
  }
}
