package io.gauss.common.transport.sim;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.ConnectionListener;
import io.gauss.common.transport.Handlers;
import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.Peer;
import io.gauss.common.transport.Transport;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transport within the JVM that has a real TCP port for each of its addresses, by which others
 * detect whether its process exists: they take a refused connection for its end. Connections there
 * carry no messages. Thread-safe.
 */
public final class PortedTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(PortedTransport.class);
  private static final int BACKLOG = 50;

  private final Transport transport;
  private final List<ServerSocket> ports = new CopyOnWriteArrayList<>();

  public PortedTransport(Transport transport) {
    this.transport = transport;
  }

  @Override
  public NodeIdentity self() {
    return transport.self();
  }

  @Override
  public ByteBufAllocator allocator() {
    return transport.allocator();
  }

  @Override
  public NodeAddress listen(NodeAddress address, Handlers handlers) {
    try {
      ServerSocket port =
          new ServerSocket(address.port(), BACKLOG, InetAddress.getByName(address.host()));
      ports.add(port);
      Thread.ofVirtual().start(() -> accept(port));
      return transport.listen(new NodeAddress(address.host(), port.getLocalPort()), handlers);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "could not listen on " + address, e);
    }
  }

  private static void accept(ServerSocket port) {
    while (!port.isClosed()) {
      try {
        port.accept().close();
      } catch (IOException e) {
        LOG.debug("port {}", port, e);
      }
    }
  }

  /** As if the process had ended: connections are refused from now on. */
  public void closePorts() {
    for (ServerSocket port : ports) {
      try {
        port.close();
      } catch (IOException e) {
        LOG.warn("port {}", port, e);
      }
    }
  }

  @Override
  public Peer connect(NodeAddress address, int expectedNode) {
    return transport.connect(address, expectedNode);
  }

  @Override
  public void addListener(ConnectionListener listener) {
    transport.addListener(listener);
  }

  @Override
  public void close() {
    closePorts();
    transport.close();
  }
}
