package io.gauss.common.transport;

/** Serves messages of one type; see {@link Handlers} for the thread. */
@FunctionalInterface
public interface RequestHandler {
  /**
   * Serves one message, now or later: {@link Request#reply}, {@link Request#fail} or {@link
   * Request#openStream} may be called after this returned, from any thread. A thrown exception
   * becomes the answer: a {@link io.gauss.common.error.GaussException} with its SQLSTATE, anything
   * else XX000, and is logged.
   */
  void handle(Request request);
}
