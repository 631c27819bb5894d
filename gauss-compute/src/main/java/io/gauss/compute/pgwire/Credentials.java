package io.gauss.compute.pgwire;

import io.gauss.compute.auth.ScramVerifier;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.RoleDef;
import java.net.InetAddress;
import java.util.function.LongSupplier;

/**
 * Decides how clients have to authenticate. Thread-safe.
 *
 * <p>Clients that connect from this machine are trusted without a password if {@code trustLoopback}
 * is set; all others need one.
 */
public final class Credentials {
  private final Catalog catalog;
  private final boolean trustLoopback;
  private final byte[] mockSecret;
  private final LongSupplier clock;

  /**
   * @param mockSecret the node's own, for the salts of users that do not exist
   * @param clock µs since 2000-01-01 UTC
   */
  public Credentials(
      Catalog catalog, boolean trustLoopback, byte[] mockSecret, LongSupplier clock) {
    this.catalog = catalog;
    this.trustLoopback = trustLoopback;
    this.mockSecret = mockSecret.clone();
    this.clock = clock;
  }

  boolean trusts(InetAddress peer) {
    return trustLoopback && peer.isLoopbackAddress();
  }

  /** LSN of the commit that must be visible before a client is admitted or refused. */
  long dependency() {
    return catalog.current().committedAt();
  }

  /** The verifier for a client's proof; one that accepts nothing if there is no valid password. */
  ScramVerifier verifier(String user) {
    RoleDef role = catalog.current().role(user);
    boolean usable =
        role != null
            && role.verifier() != null
            && (role.validUntil() == null || clock.getAsLong() < role.validUntil());
    ScramVerifier verifier = usable ? ScramVerifier.parse(role.verifier()) : null;
    return verifier != null ? verifier : ScramVerifier.mock(mockSecret, user);
  }
}
