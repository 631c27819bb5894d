package io.gauss.jdbc.cluster;

import io.gauss.jdbc.routing.ClusterNode;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** A physical connection of which only the state of its transaction exists. */
public final class FakeNode {
  private TransactionState state = TransactionState.IDLE;

  /** What the server has reported last. */
  public void isOpen(boolean isOpen) {
    state = isOpen ? TransactionState.OPEN : TransactionState.IDLE;
  }

  public NodeConnection connection() throws SQLException {
    BaseConnection physical =
        (BaseConnection)
            Proxy.newProxyInstance(
                FakeNode.class.getClassLoader(),
                new Class<?>[] {BaseConnection.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "unwrap" -> proxy;
                      case "getTransactionState" -> state;
                      case "isClosed" -> false;
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    ClusterNode node = new ClusterNode(1, "localhost", 1, ClusterNode.State.UP, 0);
    return new NodeConnection(node, physical, new NodeRoutes());
  }
}
