package io.gauss.server.architecture.example.above;

import io.gauss.server.architecture.example.below.Called;

/** Half of a cycle that the tests of layers have to find. */
public final class Caller {
  private Caller() {}

  static int call() {
    return Called.answer(null);
  }
}
