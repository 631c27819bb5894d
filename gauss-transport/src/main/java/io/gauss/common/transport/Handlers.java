package io.gauss.common.transport;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The handlers by type of message. Filled before listening, except for types that can only be
 * served later ({@link #later}). Thread-safe.
 */
public final class Handlers {
  private final Map<Integer, Entry> entries = new ConcurrentHashMap<>();

  /**
   * A handler and its executor.
   *
   * @param executor null = on the connection's event loop
   */
  public record Entry(MessageType type, RequestHandler handler, Executor executor) {}

  /** The handler runs on the event loop of the connection: in order, and it must not block. */
  public Handlers on(MessageType type, RequestHandler handler) {
    return add(type, handler, null);
  }

  /**
   * The handler runs on {@code executor}, for messages whose handling blocks or takes long. Two
   * messages of one connection may then run concurrently or out of order, unless the executor runs
   * one task at a time. An executor that rejects a task makes the call fail with OVERLOADED.
   */
  public Handlers on(MessageType type, Executor executor, RequestHandler handler) {
    return add(type, handler, executor);
  }

  /**
   * The handler of this type is added after this node has begun to listen. Until then its calls
   * fail with 55000, and callers may retry.
   */
  public Handlers later(MessageType type) {
    return on(type, new NotYet());
  }

  private static final class NotYet implements RequestHandler {
    @Override
    public void handle(Request request) {
      throw new GaussException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "this node is only being started");
    }
  }

  private Handlers add(MessageType type, RequestHandler handler, Executor executor) {
    Entry before = entries.get(type.id());
    Entry entry = new Entry(type, handler, executor);
    boolean isFree =
        before != null && before.handler instanceof NotYet
            ? entries.replace(type.id(), before, entry)
            : entries.putIfAbsent(type.id(), entry) == null;
    if (!isFree) {
      throw new IllegalArgumentException("two handlers for " + type + " (" + type.id() + ")");
    }
    return this;
  }

  /** Null when this type has no handler. */
  public Entry find(int type) {
    return entries.get(type);
  }
}
