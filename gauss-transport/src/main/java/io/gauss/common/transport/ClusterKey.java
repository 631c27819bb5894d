package io.gauss.common.transport;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.security.GeneralSecurityException;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The shared identity of a cluster's nodes: the cluster's id, which is not secret, and a secret by
 * which they recognise each other. The secret itself never leaves the process. Immutable,
 * thread-safe.
 */
public final class ClusterKey {
  /** A shorter secret could be found by brute force. */
  public static final int MIN_SECRET_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";

  private final UUID clusterId;
  private final SecretKeySpec key;

  /**
   * @throws GaussException 22023 when the secret is shorter than {@link #MIN_SECRET_BYTES}
   */
  public ClusterKey(UUID clusterId, byte[] secret) {
    if (secret.length < MIN_SECRET_BYTES) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "the cluster secret has %d bytes; it needs at least %d"
              .formatted(secret.length, MIN_SECRET_BYTES));
    }
    this.clusterId = clusterId;
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  public UUID clusterId() {
    return clusterId;
  }

  /** HMAC-SHA-256 over the concatenated parts. */
  public byte[] mac(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}
