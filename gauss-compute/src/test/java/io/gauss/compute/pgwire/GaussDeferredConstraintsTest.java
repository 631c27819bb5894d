package io.gauss.compute.pgwire;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract, kept by Gauss. */
class GaussDeferredConstraintsTest extends DeferredConstraintsContract {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  @Override
  int port() {
    return NODE.port();
  }

  @Override
  String database() {
    return "gauss";
  }

  @Override
  int waiting() {
    return NODE.waiting();
  }

  @Override
  boolean isGauss() {
    return true;
  }
}
