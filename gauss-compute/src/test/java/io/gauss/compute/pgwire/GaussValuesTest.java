package io.gauss.compute.pgwire;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract, kept by Gauss. */
class GaussValuesTest extends ValuesContract {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  @Override
  WireServer server() {
    return NODE;
  }
}
