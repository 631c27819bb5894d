package io.gauss.router.network;

/** PyTorch cannot be used: a library is missing, or cannot be loaded. */
public final class NoEngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoEngineException(Throwable cause) {
    super(cause.toString(), cause);
  }
}
