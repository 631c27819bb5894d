package io.gauss.compute.session;

import io.gauss.common.error.GaussException;

/** An error after which the connection is closed; the client gets it with severity FATAL. */
public final class FatalSessionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final GaussException error;

  public FatalSessionException(GaussException error) {
    super(error.getMessage(), error);
    this.error = error;
  }

  public GaussException error() {
    return error;
  }
}
