/**
 * Window functions over sorted input. Begin with {@link
 * io.gauss.compute.sql.exec.window.WindowOperator}.
 */
package io.gauss.compute.sql.exec.window;
