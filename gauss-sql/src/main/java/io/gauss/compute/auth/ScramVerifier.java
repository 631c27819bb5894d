package io.gauss.compute.auth;

import io.gauss.common.error.GaussException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The stored form of a password: enough to check a client's proof, not enough to log in with (RFC
 * 5802). Its text is PostgreSQL's {@code SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey}.
 * Immutable, thread-safe.
 */
public final class ScramVerifier {
  /** As in PostgreSQL 15, and the minimum of RFC 7677. */
  public static final int ITERATIONS = 4096;

  static final int KEY_BYTES = 32;
  private static final int SALT_BYTES = 16;
  private static final String HMAC = "HmacSHA256";
  private static final String PREFIX = "SCRAM-SHA-256$";
  private static final Pattern TEXT =
      Pattern.compile("SCRAM-SHA-256\\$([1-9][0-9]{0,8}):([^$:]+)\\$([^$:]+):([^$:]+)");
  private static final Pattern MD5 = Pattern.compile("md5[0-9a-f]{32}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final int iterations;
  private final byte[] salt;
  private final byte[] storedKey;
  private final byte[] serverKey;

  private ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    this.iterations = iterations;
    this.salt = salt;
    this.storedKey = storedKey;
    this.serverKey = serverKey;
  }

  /**
   * The text to store for the text of a PASSWORD clause, which may already be a verifier.
   *
   * @return null for the empty password, with which no login succeeds
   * @throws GaussException 0A000 for an MD5 hash
   */
  public static String toStore(String password) {
    if (password.isEmpty()) {
      return null;
    }
    if (MD5.matcher(password).matches()) {
      throw GaussException.notSupported("a password as an MD5 hash");
    }
    if (parse(password) != null) {
      return password;
    }
    byte[] salt = new byte[SALT_BYTES];
    RANDOM.nextBytes(salt);
    return of(password, salt, ITERATIONS).text();
  }

  /** Hashes a password; takes some milliseconds of CPU. */
  static ScramVerifier of(String password, byte[] salt, int iterations) {
    byte[] salted = saltedPassword(password, salt, iterations);
    byte[] clientKey = hmac(salted, "Client Key".getBytes(StandardCharsets.US_ASCII));
    return new ScramVerifier(
        iterations,
        salt.clone(),
        sha256(clientKey),
        hmac(salted, "Server Key".getBytes(StandardCharsets.US_ASCII)));
  }

  /** Parses a verifier; null when the text is not one. */
  public static ScramVerifier parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    try {
      Base64.Decoder base64 = Base64.getDecoder();
      byte[] storedKey = base64.decode(matcher.group(3));
      byte[] serverKey = base64.decode(matcher.group(4));
      if (storedKey.length != KEY_BYTES || serverKey.length != KEY_BYTES) {
        return null;
      }
      return new ScramVerifier(
          Integer.parseInt(matcher.group(1)),
          base64.decode(matcher.group(2)),
          storedKey,
          serverKey);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * A verifier that no password matches. It is always the same for a name, so that its salt does
   * not reveal to a client which roles exist.
   *
   * @param secret of the node
   */
  public static ScramVerifier mock(byte[] secret, String user) {
    byte[] digest = hmac(secret, user.getBytes(StandardCharsets.UTF_8));
    byte[] salt = java.util.Arrays.copyOf(digest, SALT_BYTES);
    byte[] noKey = new byte[KEY_BYTES];
    RANDOM.nextBytes(noKey);
    return new ScramVerifier(ITERATIONS, salt, noKey, noKey);
  }

  String text() {
    Base64.Encoder base64 = Base64.getEncoder();
    return PREFIX
        + iterations
        + ':'
        + base64.encodeToString(salt)
        + '$'
        + base64.encodeToString(storedKey)
        + ':'
        + base64.encodeToString(serverKey);
  }

  int iterations() {
    return iterations;
  }

  String saltText() {
    return Base64.getEncoder().encodeToString(salt);
  }

  /** Whether a proof for an exchange of messages was computed with the password. */
  boolean accepts(byte[] proof, byte[] authMessage) {
    if (proof.length != KEY_BYTES) {
      return false;
    }
    byte[] clientKey = hmac(storedKey, authMessage);
    for (int i = 0; i < KEY_BYTES; i++) {
      clientKey[i] ^= proof[i];
    }
    return MessageDigest.isEqual(sha256(clientKey), storedKey);
  }

  /** Proves to the client that the server has the verifier. */
  byte[] serverSignature(byte[] authMessage) {
    return hmac(serverKey, authMessage);
  }

  /** Hi() of RFC 5802: PBKDF2 with one block of output. */
  private static byte[] saltedPassword(String password, byte[] salt, int iterations) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      byte[] key = SaslPrep.prepare(password).getBytes(StandardCharsets.UTF_8);
      mac.init(new SecretKeySpec(key, HMAC));
      mac.update(salt);
      byte[] step = mac.doFinal(new byte[] {0, 0, 0, 1});
      byte[] result = step.clone();
      for (int i = 1; i < iterations; i++) {
        step = mac.doFinal(step);
        for (int k = 0; k < result.length; k++) {
          result[k] ^= step[k];
        }
      }
      return result;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  static byte[] hmac(byte[] key, byte[] message) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  private static byte[] sha256(byte[] message) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
