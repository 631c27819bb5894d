package io.gauss.compute.wait;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * How a session is asked to stop: cancel, timeouts, shutdown. {@link #request}, {@link #withdraw}
 * and {@link #clear} are called by any thread, the rest by the one that runs the session.
 */
public final class Interrupts {
  private static final VarHandle REQUEST;

  static {
    try {
      REQUEST = MethodHandles.lookup().findVarHandle(Interrupts.class, "request", Request.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** State and message in one object, so that no thread sees those of two requests mixed. */
  public static final class Request {
    private final SqlState state;
    private final String message;

    private Request(SqlState state, String message) {
      this.state = state;
      this.message = message;
    }
  }

  // Written by event loops, timers and closing threads; read by the session's thread at each check.
  private volatile Request request;

  // Written by the session's thread; read by the requesting thread, to wake it. Each of the two
  // writes its own field before it reads the other's, so that no request misses a thread that is
  // about to sleep.
  private volatile Thread parked;

  private int held; // of the session's thread

  public Interrupts() {}

  /**
   * Asks the session to stop at its next check, and wakes it if it waits. Any thread.
   *
   * @return for {@link #withdraw}
   */
  public Request request(SqlState state, String message) {
    Request made = new Request(state, message);
    request = made;
    Thread waiting = parked;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
    return made;
  }

  /** Whether the request has neither been thrown nor forgotten, nor replaced by another. */
  public boolean isPending(Request made) {
    return request == made;
  }

  /** Forgets one request, if it is still pending, and no other. Any thread. */
  public void withdraw(Request made) {
    REQUEST.compareAndSet(this, made, null);
  }

  /** Forgets a request that came too late for its purpose. Any thread. */
  public void clear() {
    request = null;
  }

  /**
   * The thread is about to park and is to be woken by a request; it has to {@link #check} after
   * this call and before it parks. Null when it no longer parks.
   */
  public void wakes(Thread thread) {
    parked = thread;
  }

  /**
   * Until {@link #release} a request stays pending: for a rollback, which has to complete. Nests.
   */
  public void hold() {
    held++;
  }

  public void release() {
    held--;
  }

  /**
   * Throws the requested error, if any. Long loops call it every few thousand rows.
   *
   * @throws GaussException with the state of the request, which this settles
   */
  public void check() {
    if (request != null && held == 0) {
      Request answered = (Request) REQUEST.getAndSet(this, null);
      if (answered != null) {
        throw new GaussException(answered.state, answered.message);
      }
    }
  }
}
