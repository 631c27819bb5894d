/**
 * JDBC's interfaces, with every call delegated to another object of the same kind; the driver's
 * classes override the calls that they handle themselves. Begin with {@link
 * io.gauss.jdbc.delegate.DelegatingConnection}.
 */
package io.gauss.jdbc.delegate;
