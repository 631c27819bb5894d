/**
 * PostgreSQL's protocol 3.0: connections, framing, authentication, and the thread that a message
 * runs on. Where a connection stands is one table. Begin with {@link
 * io.gauss.compute.pgwire.ConnectionTable} and {@link io.gauss.compute.pgwire.PgConnection}.
 */
package io.gauss.compute.pgwire;
