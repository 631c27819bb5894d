package io.gauss.compute.pgwire;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract, kept by Gauss. */
class GaussNotificationsTest extends NotificationsContract {
  @RegisterExtension static final GaussNode NODE = new GaussNode();

  @Override
  WireServer server() {
    return NODE;
  }
}
