/**
 * What reaches the log of libraries that repeat themselves. Begin with {@link
 * io.gauss.server.log.RepeatedMessages}.
 */
package io.gauss.server.log;
