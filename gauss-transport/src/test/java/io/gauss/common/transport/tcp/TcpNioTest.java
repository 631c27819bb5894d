package io.gauss.common.transport.tcp;

import io.gauss.common.transport.TransportContract;
import io.gauss.common.transport.TransportHarness;

/** The transport over TCP on NIO. */
class TcpNioTest extends TransportContract {
  @Override
  protected TransportHarness harness() {
    return new TcpHarness(new TcpOptions(SocketIo.NIO, 1, null));
  }
}
