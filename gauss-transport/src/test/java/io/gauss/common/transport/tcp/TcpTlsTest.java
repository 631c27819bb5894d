package io.gauss.common.transport.tcp;

import io.gauss.common.transport.TransportContract;
import io.gauss.common.transport.TransportHarness;

/** The transport over TCP with TLS. */
class TcpTlsTest extends TransportContract {
  @Override
  protected TransportHarness harness() {
    return new TcpHarness(new TcpOptions(SocketIo.best(), 1, TcpHarness.tls("one")));
  }
}
