/**
 * State of a node and a session for system tables, behind interfaces that the layers above
 * implement. Begin with {@link io.gauss.compute.sql.state.SystemState}.
 */
package io.gauss.compute.sql.state;
