/**
 * The driver: JDBC connections that run each transaction on the best node for it, over physical
 * connections of pgjdbc. Begin with {@link io.gauss.jdbc.GaussDriver}, {@link
 * io.gauss.jdbc.GaussConnection} and {@link io.gauss.jdbc.RoutedConnection}.
 */
package io.gauss.jdbc;
