/**
 * PostgreSQL's protocol 3.0: connections, framing, authentication, and the choice of the thread on
 * which a message runs. One table holds the states of a connection. Begin with {@link
 * io.gauss.compute.pgwire.ConnectionTable} and {@link io.gauss.compute.pgwire.PgConnection}.
 */
package io.gauss.compute.pgwire;
