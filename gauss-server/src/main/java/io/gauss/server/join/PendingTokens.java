package io.gauss.server.join;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * Tokens that were given out and not used yet: a file each, named by the token's id, with the
 * expiry and the SHA-256 of the secret. So the command that gives one out need not talk to the node
 * that takes it back, and whoever reads the directory has no token. Using one removes its file, and
 * the file system lets one remover win.
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
        file(token.id()), expires.getEpochSecond() + " " + HexFormat.of().formatHex(hash(secret)));
    return token;
  }

  /**
   * Takes a token back, which is thereby used.
   *
   * @throws JoinRefused when it is not good
   */
  public void use(JoinRequest request, Instant now) {
    check(request, now);
    try {
      if (!Files.deleteIfExists(file(request.token()))) {
        throw new JoinRefused(USED);
      }
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot remove a token: " + e, e);
    }
  }

  /**
   * Checks a token without using it: nobody without one is to cause more work than this.
   *
   * @throws JoinRefused when it is not good
   */
  public void check(JoinRequest request, Instant now) {
    String[] kept;
    try {
      kept = Files.readString(file(request.token())).strip().split(" ");
    } catch (NoSuchFileException e) {
      throw new JoinRefused(USED);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read a token: " + e, e);
    }
    if (!MessageDigest.isEqual(hash(request.secret()), HexFormat.of().parseHex(kept[1]))) {
      throw new JoinRefused(USED);
    }
    if (isOver(kept, now)) {
      throw new JoinRefused("the token has expired");
    }
  }

  private static boolean isOver(String[] kept, Instant now) {
    return now.getEpochSecond() >= Long.parseLong(kept[0]);
  }

  private void removeExpired(Instant now) {
    try (var found = Files.list(directory)) {
      List<Path> all = found.filter(path -> path.toString().endsWith(".token")).toList();
      int left = all.size();
      for (Path file : all) {
        if (isGoneOrOver(file, now)) {
          Files.deleteIfExists(file);
          left--;
        }
      }
      if (left >= MOST) {
        throw new GaussException(
            SqlState.PROGRAM_LIMIT_EXCEEDED, left + " tokens are out and not used yet");
      }
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot read " + directory + ": " + e, e);
    }
  }

  private static boolean isGoneOrOver(Path file, Instant now) throws IOException {
    try {
      return isOver(Files.readString(file).strip().split(" "), now);
    } catch (NoSuchFileException e) {
      return true; // used at this moment
    }
  }

  private Path file(long id) {
    return directory.resolve(HexFormat.of().toHexDigits(id) + ".token");
  }

  private static byte[] hash(byte[] secret) {
    try {
      return Pem.sha256(secret);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
