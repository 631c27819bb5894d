package io.gauss.compute.pgwire;

import io.gauss.compute.auth.ScramVerifier;
import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.RoleDef;
import java.net.InetAddress;
import java.util.function.LongSupplier;

/**
 * Decides how clients have to authenticate. Thread-safe.
 *
 * <p>Clients that connect from this machine may be trusted without a password, all or as roles that
 * have none; all others need one.
 */
public final class Credentials {
  private final Catalog catalog;
  private final Trust trust;
  private final byte[] mockSecret;
  private final LongSupplier clock;

  /** Which clients of this machine are trusted. */
  public enum Trust {
    NONE,
    WITHOUT_PASSWORD,
    ALL
  }

  /**
   * @param trust NONE also when other machines can reach the node: a proxy on this one would lend
   *     them its address
   * @param mockSecret of the whole cluster, for the salts of users that do not exist
   * @param clock µs since 2000-01-01 UTC
   */
  public Credentials(Catalog catalog, Trust trust, byte[] mockSecret, LongSupplier clock) {
    this.catalog = catalog;
    this.trust = trust;
    this.mockSecret = mockSecret.clone();
    this.clock = clock;
  }

  boolean trusts(InetAddress peer, String user) {
    if (trust == Trust.NONE || !peer.isLoopbackAddress()) {
      return false;
    }
    RoleDef role = catalog.current().role(user); // one that does not exist is refused later
    return trust == Trust.ALL || role == null || role.verifier() == null;
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
