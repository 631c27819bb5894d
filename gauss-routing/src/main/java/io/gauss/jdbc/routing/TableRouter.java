package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.Decision.Cause;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementCache;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Routes by the table of key ranges that the cluster publishes: the baseline for models. */
public final class TableRouter implements Router {
  private final RouterSettings settings;
  private final PublicationPoll poll;
  private final StatementCache statements = new StatementCache(4096);
  private final KeyAffinity byKey = new KeyAffinity();
  private final KeyHints hints;
  private volatile RoutingTable current;
  private volatile boolean isConfirmed = true;

  private final LongAdder known = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final LongAdder taken = new LongAdder();
  private final LongAdder refused = new LongAdder();

  TableRouter(RouterSettings settings) {
    this.settings = settings;
    this.poll = new PublicationPoll("table", settings.maxBytes());
    this.hints = new KeyHints(settings);
  }

  @Override
  public Decision route(RouteRequest request) {
    ReadStatement read = statements.get(request.sql());
    if (read.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return Decision.notYet("table: the statement touches no rows");
    }
    Object[] values = read.values(request.parameters());
    RoutingTable table = isConfirmed ? current : null;
    // Without a table nothing was learned, and all rows may be where they were loaded.
    Decision decided =
        table == null
            ? null
            : DecisionOrder.withTable(
                table,
                read.template().id(),
                () -> byOwner(read, values, request.topology()),
                () -> byRange(table, read, values, request.topology()));
    if (decided != null) {
      return decided;
    }
    unknown.increment();
    return byKey.decide("table", read, request.parameters(), request.topology());
  }

  private Decision byOwner(ReadStatement read, Object[] values, Topology topology) {
    ClusterNode owner = hints.node(read, values, topology);
    return owner == null ? null : hints.decide("table", owner);
  }

  private Decision byRange(
      RoutingTable table, ReadStatement read, Object[] values, Topology topology) {
    ClusterNode node = topology.byNumber(table.node(read.template().id(), values));
    if (node == null || !node.isUsable()) {
      return null;
    }
    known.increment();
    return Decision.on(node, Cause.TABLE, "table: the key range belongs there");
  }

  @Override
  public List<String> explain(RouteRequest request) {
    List<String> lines = new ArrayList<>();
    ReadStatement read = statements.get(request.sql());
    Object[] values = read.values(request.parameters());
    StatementLines.add(lines, read, values);
    if (read.template().kind() == StatementTemplate.Kind.TELLS_NOTHING) {
      return lines;
    }
    ClusterNode node = explainTable(read, values, request.topology(), lines);
    RoutingTable table = current;
    if (table != null) {
      boolean ownerFirst = table.byOwner().contains(read.template().id());
      if (hints.explain(read, values, request.topology(), node, ownerFirst, lines)) {
        return lines;
      }
    }
    lines.add(
        node == null
            ? byKey.explain(read, request.parameters(), request.topology())
            : "Decision: " + node + ", by the table");
    return lines;
  }

  private ClusterNode explainTable(
      ReadStatement read, Object[] values, Topology topology, List<String> lines) {
    RoutingTable table = current;
    if (table == null) {
      lines.add("Table: none is published yet");
      return null;
    }
    lines.add("Table: version %d, %d templates".formatted(table.version(), table.entries().size()));
    RoutingTable.Range range = table.range(read.template().id(), values);
    if (range == null) {
      lines.add("  Does not know: the table has no range for the template and its values");
      return null;
    }
    lines.add(
        "  Range: predicate %d from %s to below %s, node %d"
            .formatted(range.predicate() + 1, range.from(), range.to(), range.node()));
    ClusterNode node = topology.byNumber(range.node());
    if (node == null || !node.isUsable()) {
      lines.add(
          range.node() == 0
              ? "  Does not know: the range has no node"
              : "  Does not know: that node takes no transactions");
      return null;
    }
    return node;
  }

  /**
   * Asks for a newer table. When it cannot be used, the present one stays in use.
   *
   * @throws SQLException when the server does not answer, or the table cannot be used
   */
  @Override
  public void refresh(Connection connection, Topology topology) throws SQLException {
    byte[] bytes = poll.newer(connection, refused);
    isConfirmed = true;
    if (bytes != null) {
      try {
        load(bytes);
      } catch (PublicationException e) {
        refused.increment();
        throw new SQLException("the published table cannot be used: " + e.getMessage(), "XX000", e);
      }
    }
  }

  @Override
  public void onQuestions(Runnable wake) {
    hints.onQuestions(wake);
  }

  @Override
  public void ask(Connection connection) throws SQLException {
    hints.ask(connection);
  }

  /**
   * As {@link #ask(Connection)}, for servers that answer themselves.
   *
   * @throws SQLException when the server does not answer
   */
  public void ask(KeyOwnerSource server) throws SQLException {
    hints.ask(server);
  }

  @Override
  public void forget() {
    isConfirmed = false;
    hints.forget();
  }

  /**
   * Takes a table into use. One of the same version may have more or less of it, as the rights of
   * the session's role are now.
   *
   * @throws PublicationException when it is damaged, too large, of a newer format or older than the
   *     one in use, which then stays
   */
  public synchronized void load(byte[] bytes) throws PublicationException {
    RoutingTable table = Publication.readTable(bytes, settings.maxBytes());
    if (current != null && table.version() < current.version()) {
      throw new PublicationException(
          PublicationException.Reason.STALE,
          "version " + table.version() + " after " + current.version());
    }
    current = table;
    taken.increment();
    hints.published();
  }

  @Override
  public RouterReport report() {
    RoutingTable table = current;
    return new RouterReport(
        "table",
        table == null ? 0 : table.version(),
        "none",
        known.sum(),
        hints.owned(),
        0,
        0,
        unknown.sum(),
        0,
        taken.sum(),
        refused.sum());
  }
}
