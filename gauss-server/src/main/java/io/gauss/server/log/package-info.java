/**
 * Limits what libraries that repeat themselves write to the log. Begin with {@link
 * io.gauss.server.log.RepeatedMessages}.
 */
package io.gauss.server.log;
