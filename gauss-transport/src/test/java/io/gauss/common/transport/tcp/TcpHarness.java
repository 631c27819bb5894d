package io.gauss.common.transport.tcp;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportHarness;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Nodes that reach each other over the loopback interface. */
public final class TcpHarness implements TransportHarness {
  private final TcpOptions options;

  public TcpHarness(TcpOptions options) {
    this.options = options;
  }

  /** Keys of one of two authorities, "one" or "two". */
  static TransportTls tls(String authority) {
    return tls(authority, authority(authority));
  }

  /** The same with other authorities' certificates taken, too. */
  static TransportTls tls(String authority, Path taken) {
    return TransportTls.of(file(authority + "-node.crt"), file(authority + "-node.key"), taken);
  }

  /** The certificate of an authority. */
  static Path authority(String authority) {
    return file(authority + "-ca.crt");
  }

  private static Path file(String name) {
    try {
      return Path.of(
          Objects.requireNonNull(TcpHarness.class.getResource("/transport/" + name)).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Transport open(TransportConfig config) {
    return new TcpTransport(config, options);
  }

  @Override
  public NodeAddress anyAddress() {
    return new NodeAddress("127.0.0.1", 0);
  }

  @Override
  public <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }
}
