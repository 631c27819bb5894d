package io.gauss.common.transport.tcp;

import io.gauss.common.transport.NodeAddress;
import io.gauss.common.transport.Transport;
import io.gauss.common.transport.TransportConfig;
import io.gauss.common.transport.TransportHarness;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

  /** A copy: the resource may be in a jar. */
  private static Path file(String name) {
    try (InputStream in = TcpHarness.class.getResourceAsStream("/transport/" + name)) {
      Path copy = Files.createTempFile("transport-", "-" + name);
      copy.toFile().deleteOnExit();
      Files.copy(Objects.requireNonNull(in, name), copy, StandardCopyOption.REPLACE_EXISTING);
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
