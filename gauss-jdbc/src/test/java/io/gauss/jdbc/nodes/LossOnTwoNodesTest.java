package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;

import io.gauss.jdbc.nodes.Losses.Behind;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link Losses} of connections to two compute nodes. */
@Timeout(1800)
class LossOnTwoNodesTest extends OnTwoComputeNodes {
  private void lose(int runs) throws Exception {
    try (ByteCut first = new ByteCut(cluster.port(1));
        ByteCut second = new ByteCut(cluster.port(2));
        Connection one = direct(1);
        Connection other = direct(2)) {
      execute(one, "DROP TABLE IF EXISTS seen", "CREATE TABLE seen (i int)");
      execute(one, "CREATE INDEX ON seen (i)");
      String url = "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/gauss?user=gauss";
      new Losses()
          .losses(
              url.formatted(first.port(), second.port()),
              new Behind(first, second, one, other),
              runs);
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
