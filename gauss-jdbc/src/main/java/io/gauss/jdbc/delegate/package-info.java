/**
 * JDBC's interfaces, with every call passed to another object of the same kind; the driver's
 * classes override those calls that they answer themselves. Begin with {@link
 * io.gauss.jdbc.delegate.DelegatingConnection}.
 */
package io.gauss.jdbc.delegate;
