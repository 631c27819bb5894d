/**
 * Sessions: statements, portals, settings and transaction blocks, without the wire. A session's
 * objects belong to the thread that runs it. Begin with {@link io.gauss.compute.session.Session}.
 */
package io.gauss.compute.session;
