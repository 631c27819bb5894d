package io.gauss.jdbc;

import io.gauss.jdbc.cluster.NodeConnection;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Metadata of a logical connection: each request goes to the physical connection that is current at
 * that time, and results refer to the logical connection.
 */
final class RoutedMetaData implements InvocationHandler {
  private final GaussConnection connection;

  private RoutedMetaData(GaussConnection connection) {
    this.connection = connection;
  }

  static DatabaseMetaData of(GaussConnection connection) throws SQLException {
    connection.here();
    return (DatabaseMetaData)
        Proxy.newProxyInstance(
            RoutedMetaData.class.getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            new RoutedMetaData(connection));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    switch (method.getName()) {
      case "getConnection":
        return connection;
      case "getURL":
        connection.here(); // fails when it is closed
        return connection.url();
      case "equals":
        return proxy == arguments[0];
      case "hashCode":
        return System.identityHashCode(proxy);
      case "toString":
        return "metadata of " + connection;
      default:
        return connection.ask(physical -> call(physical.getMetaData(), method, arguments));
    }
  }

  private Object call(DatabaseMetaData metaData, Method method, Object[] arguments)
      throws SQLException {
    Object result;
    try {
      result = method.invoke(metaData, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException cause) {
        throw cause;
      }
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new SQLException(method.getName() + " failed", "XX000", e.getCause());
    } catch (IllegalAccessException e) {
      throw new SQLException(method.getName() + " cannot be called", "XX000", e);
    }
    return result instanceof ResultSet rows ? wrap(rows) : result;
  }

  private ResultSet wrap(ResultSet rows) throws SQLException {
    NodeConnection on = connection.current();
    Statement statement = rows.getStatement();
    return new GaussResultSet(new GaussStatement(connection, on, statement), on, rows);
  }
}
