/**
 * The log buffer: a ring of whole mini-transactions on their way to the log stream, group commit,
 * and the waits for durability. Begin with {@link io.gauss.compute.log.LogBuffer}.
 */
package io.gauss.compute.log;
