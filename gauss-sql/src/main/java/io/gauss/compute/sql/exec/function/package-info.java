/**
 * Set-returning functions in FROM. Begin with {@link
 * io.gauss.compute.sql.exec.function.SeriesProducer}.
 */
package io.gauss.compute.sql.exec.function;
