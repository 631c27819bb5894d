package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.ReadStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;

/**
 * The published table, for the templates of which a model says that the table is the better answer.
 * It is fetched only when there are such templates. Thread-safe.
 */
final class BetterRanges {
  private final boolean isOn;
  private final int maxBytes;
  private final PublicationPoll poll;
  private volatile RoutingTable current;

  /**
   * @param isOn otherwise nothing is known, and nothing is fetched
   */
  BetterRanges(boolean isOn, int maxBytes) {
    this.isOn = isOn;
    this.maxBytes = maxBytes;
    this.poll = new PublicationPoll("table", maxBytes);
  }

  /** The node for a statement; null when the model is better, or the table does not know. */
  ClusterNode node(RoutingModel model, ReadStatement read, Object[] values, Topology topology) {
    RoutingTable table = current;
    if (!isOn || table == null || !model.byTable().contains(read.template().id())) {
      return null;
    }
    ClusterNode node = topology.byNumber(table.node(read.template().id(), values));
    return node == null || !node.isUsable() ? null : node;
  }

  /** Asks for a newer table, for the monitor's thread. */
  void refresh(RoutingModel model, Connection connection, LongAdder refused)
      throws SQLException, PublicationException {
    if (isOn && !model.byTable().isEmpty()) {
      byte[] bytes = poll.newer(connection, refused);
      if (bytes != null) {
        load(bytes);
      }
    }
  }

  /** Takes a table into use; an older one than the present is left. */
  synchronized void load(byte[] bytes) throws PublicationException {
    RoutingTable table = Publication.readTable(bytes, maxBytes);
    if (current == null || table.version() >= current.version()) {
      current = table;
    }
  }
}
