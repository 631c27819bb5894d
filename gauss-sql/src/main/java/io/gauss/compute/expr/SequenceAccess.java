package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;

/**
 * Access to sequences for nextval and similar functions. Sequences are named by oid; a name in SQL
 * becomes an oid when the expression is evaluated ({@link SessionInfo#relationOid}).
 */
public interface SequenceAccess {
  SequenceAccess NONE = new SequenceAccess() {};

  /**
   * @throws GaussException 2200H when it has run out; {@code WouldBlockException} when a new range
   *     must be logged and the caller may not wait
   */
  default long nextValue(int sequenceOid) {
    throw GaussException.notSupported("nextval outside a session");
  }

  /**
   * @throws GaussException 55000 when nextval has not been called in this session
   */
  default long currentValue(int sequenceOid) {
    throw GaussException.notSupported("currval outside a session");
  }

  default void setValue(int sequenceOid, long value, boolean called) {
    throw GaussException.notSupported("setval outside a session");
  }

  /**
   * @throws GaussException 55000 when nextval has not been called in this session
   */
  default long lastValue() {
    throw GaussException.notSupported("lastval outside a session");
  }
}
