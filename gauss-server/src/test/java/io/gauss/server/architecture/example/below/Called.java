package io.gauss.server.architecture.example.below;

import io.gauss.server.architecture.example.above.Caller;

/** The other half of a cycle that the tests of layers have to find. */
public final class Called {
  private Called() {}

  /** Uses the package that uses this one. */
  public static int answer(Caller caller) {
    return caller == null ? 0 : caller.hashCode();
  }
}
