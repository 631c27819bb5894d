package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Tokens that were given out and have not expired: a file each, named by the token's id, with the
 * expiry and the SHA-256 of the secret. So the command that gives one out need not talk to the node
 * that takes it back, and whoever reads the directory has no token.
 *
 * <p>Using one adds the number of the node and the SHA-256 of its key. The token is then good for
 * the same machine only, whose joining was interrupted, and makes it the same node again.
 *
 * <p>Thread-safe within a process; one process at a time takes tokens back.
 */
public final class PendingTokens {
  /** More would be a sign of a script that has run wild. */
  private static final int MOST = 1_000;

  private static final String USED = "the token was used already, or is not one of this cluster";

  private final Path directory;
  private final byte[] fingerprint;

  PendingTokens(Path directory, byte[] fingerprint) {
    this.directory = directory;
    this.fingerprint = fingerprint.clone();
  }

  /**
   * Gives out a token.
   *
   * @param host where the node that takes it back is reached, with its port
   * @throws GaussException 54000 when very many are out, 58030 when it cannot be kept
   */
  public JoinToken give(String host, int port, Instant expires, Instant now) {
    removeExpired(now);
    SecureRandom random = new SecureRandom();
    byte[] secret = new byte[JoinToken.SECRET_BYTES];
    random.nextBytes(secret);
    JoinToken token = new JoinToken(expires, random.nextLong(), secret, fingerprint, host, port);
    OwnerFiles.write(
        file(token.id()), new Kept(expires.getEpochSecond(), hash(secret), Kept.UNUSED, "").text());
    return token;
  }

  /** What is known of a token. */
  private record Kept(long expires, String secret, int node, String key) {
    static final int UNUSED = 0;

    /**
     * @throws IllegalArgumentException when the file is damaged
     */
    static Kept parse(String text) {
      String[] parts = text.strip().split(" ");
      if (parts.length != 2 && parts.length != 4) {
        throw new IllegalArgumentException("a token of " + parts.length + " parts");
      }
      return parts.length == 2
          ? new Kept(Long.parseLong(parts[0]), parts[1], UNUSED, "")
          : new Kept(Long.parseLong(parts[0]), parts[1], Integer.parseInt(parts[2]), parts[3]);
    }

    boolean isUsed() {
      return node != UNUSED;
    }

    boolean isOver(Instant now) {
      return now.getEpochSecond() >= expires;
    }

    Kept usedBy(int number, byte[] publicKey) {
      return new Kept(expires, secret, number, hash(publicKey));
    }

    String text() {
      return expires + " " + secret + (isUsed() ? " " + node + " " + key : "");
    }
  }

  /**
   * Takes a token back, which is thereby used.
   *
   * @param node the number that the machine gets
   * @throws JoinRefused when it is not good
   */
  public synchronized void use(JoinRequest request, int node, Instant now) {
    int known = check(request, now);
    if (known != Kept.UNUSED && known != node) {
      throw new JoinRefused(USED);
    }
    OwnerFiles.write(
        file(request.token()), kept(request.token()).usedBy(node, request.key()).text());
  }

  /**
   * Checks a token without using it: nobody without one is to cause more work than this.
   *
   * @return the number of the node that this same machine has become by it; 0 = it was not used
   * @throws JoinRefused when it is not good
   */
  public int check(JoinRequest request, Instant now) {
    Kept kept = kept(request.token());
    if (!isSame(hash(request.secret()), kept.secret()) || !request.isProven()) {
      throw new JoinRefused(USED);
    }
    if (kept.isUsed() && !isSame(hash(request.key()), kept.key())) {
      throw new JoinRefused(USED);
    }
    if (kept.isOver(now)) {
      throw new JoinRefused("the token has expired");
    }
    return kept.node();
  }

  private static boolean isSame(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
  }

  private Kept kept(long id) {
    try {
      return Kept.parse(Files.readString(file(id)));
    } catch (NoSuchFileException | IllegalArgumentException e) {
      throw new JoinRefused(USED);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read a token: " + e, e);
    }
  }

  private void removeExpired(Instant now) {
    try (var found = Files.list(directory)) {
      int out = 0;
      for (Path file : found.filter(path -> path.toString().endsWith(".token")).toList()) {
        Optional<Kept> kept = read(file);
        if (kept.filter(token -> !token.isOver(now)).isEmpty()) {
          OwnerFiles.remove(file);
        } else if (!kept.get().isUsed()) {
          out++;
        }
      }
      if (out >= MOST) {
        throw new GaussException(
            SqlState.PROGRAM_LIMIT_EXCEEDED, out + " tokens are out and not used yet");
      }
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read " + directory + ": " + e, e);
    }
  }

  /** Empty for one that is gone, or that nobody can use. */
  private static Optional<Kept> read(Path file) throws IOException {
    try {
      return Optional.of(Kept.parse(Files.readString(file)));
    } catch (NoSuchFileException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Path file(long id) {
    return directory.resolve(HexFormat.of().toHexDigits(id) + ".token");
  }

  private static String hash(byte[] secret) {
    try {
      return HexFormat.of().formatHex(Pem.sha256(secret));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
