package io.gauss.common.transport;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.file.WholeFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Properties;
import java.util.UUID;

/**
 * The file that every node of a cluster has: the cluster's id and the secret by which its nodes
 * recognise each other. Only its owner may read it.
 *
 * <pre>
 * cluster.id = 0b5f0f0e-...
 * cluster.secret = 64 hexadecimal digits
 * </pre>
 */
public final class ClusterKeyFile {
  /** Its name unless a setting changes it. */
  public static final String NAME = "cluster.key";

  private static final int SECRET_BYTES = 32;
  private static final String ID = "cluster.id";
  private static final String SECRET = "cluster.secret";

  private ClusterKeyFile() {}

  /** Creates the file for a new cluster; an existing file stays. */
  public static void ensure(Path file) {
    if (Files.exists(file)) {
      return;
    }
    byte[] secret = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(secret);
    String text =
        "# Nodes with the same file are one cluster. Keep it secret.\n%s = %s\n%s = %s\n"
            .formatted(ID, UUID.randomUUID(), SECRET, HexFormat.of().formatHex(secret));
    write(file, text);
  }

  /**
   * Writes the file as another node of the cluster has it.
   *
   * @throws GaussException 58030 when it cannot be written
   */
  public static void write(Path file, String text) {
    try {
      WholeFile.writeForOwner(file, text);
    } catch (IOException e) {
      throw new GaussException(SqlState.IO_ERROR, "cannot write " + file + ": " + e, e);
    }
  }

  /**
   * @throws GaussException 58030 when the file cannot be read, 22023 when it is malformed
   */
  public static ClusterKey read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new GaussException(
          SqlState.IO_ERROR, "cannot read the cluster's key file " + file + ": " + e, e);
    }
    try {
      return new ClusterKey(
          UUID.fromString(required(properties, ID, file)),
          HexFormat.of().parseHex(required(properties, SECRET, file)));
    } catch (IllegalArgumentException e) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE,
          "the cluster's key file " + file + " has no valid " + ID + " or " + SECRET,
          e);
    }
  }

  private static String required(Properties properties, String name, Path file) {
    String value = properties.getProperty(name);
    if (value == null) {
      throw new GaussException(
          SqlState.INVALID_PARAMETER_VALUE, "the cluster's key file " + file + " has no " + name);
    }
    return value.strip();
  }
}
