package io.gauss.server.chaos;

/** The cluster does not do what a round needs, so that nothing can be compared. */
public final class ChaosFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  ChaosFailure(String message) {
    super(message);
  }
}
