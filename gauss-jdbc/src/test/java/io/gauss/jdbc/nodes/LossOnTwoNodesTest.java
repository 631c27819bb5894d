package io.gauss.jdbc.nodes;

import static io.gauss.jdbc.nodes.TwoNodes.execute;

import io.gauss.jdbc.nodes.Losses.Behind;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link Losses} of connections to one compute node, and to two. */
@Timeout(1800)
class LossOnTwoNodesTest extends OnTwoComputeNodes {
  /** Of one node, to which two ways lead. */
  private void loseOne(int runs) throws Exception {
    try (ByteCut first = new ByteCut(cluster.port(1));
        ByteCut second = new ByteCut(cluster.port(1));
        Connection one = direct(1)) {
      execute(one, "DROP TABLE IF EXISTS seen", "CREATE TABLE seen (i int)");
      execute(one, "CREATE INDEX ON seen (i)");
      String url = "jdbc:gauss://127.0.0.1:%d,127.0.0.1:%d/gauss?user=gauss";
      new Losses()
          .losses(
              "one node",
              url.formatted(first.port(), second.port()),
              new Behind(first, second, one, one),
              runs);
    }
  }

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
              "two nodes",
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
  void whatIsToldOfALossOfOneNodeIsTrue() throws Exception {
    loseOne(Losses.FEW);
  }

  @Test
  @Tag("long")
  void whatIsToldOfManyLossesOfOneNodeIsTrue() throws Exception {
    loseOne(Losses.MANY);
  }

  @Test
  @Tag("long")
  void whatIsToldOfManyLossesIsTrue() throws Exception {
    lose(Losses.MANY);
  }
}
