package io.gauss.router.process;

import java.io.IOException;

/** What came is no frame, or not one that may come now. */
final class BadFrameException extends IOException {
  private static final long serialVersionUID = 1L;

  BadFrameException(String message) {
    super(message);
  }
}
