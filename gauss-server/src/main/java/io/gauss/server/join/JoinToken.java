package io.gauss.server.join;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * What an operator carries to a machine that is to join a cluster. It tells where the cluster is
 * reached, by which certificate it is recognised, and lets one node in.
 *
 * <p>As text it is {@code gauss-join-} and, in the alphabet of base64url without padding:
 *
 * <pre>
 * offset size
 *  0     1   version, 1
 *  1     8   expiry: seconds since 1970, big-endian
 *  9     8   id
 * 17    24   secret
 * 41    32   SHA-256 of the authority's certificate
 * 73     2   port, big-endian
 * 75     n   host, UTF-8
 *  .     4   CRC32C of the bytes before, big-endian: of a token that was not copied whole
 * </pre>
 *
 * <p>Immutable as long as nobody changes the arrays.
 *
 * @param expires by the clock of the machine that gave it out
 */
public record JoinToken(
    Instant expires, long id, byte[] secret, byte[] fingerprint, String host, int port) {
  private static final String PREFIX = "gauss-join-";
  private static final byte VERSION = 1;
  static final int SECRET_BYTES = 24;
  private static final int FINGERPRINT_BYTES = 32;
  private static final int CRC_BYTES = 4;
  private static final int HOST = 1 + 8 + 8 + SECRET_BYTES + FINGERPRINT_BYTES + 2;
  private static final int MAX_PORT = 65_535;

  /**
   * @throws IllegalArgumentException with a reason when it is none
   */
  public static JoinToken parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException("a token begins with " + PREFIX);
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text.substring(PREFIX.length()));
    } catch (IllegalArgumentException e) {
      throw damaged();
    }
    if (bytes.length > 0 && bytes[0] != VERSION) {
      throw new IllegalArgumentException("the token is of another version of Gauss");
    }
    int end = bytes.length - CRC_BYTES;
    if (end <= HOST || crc(bytes, end) != ByteBuffer.wrap(bytes).getInt(end)) {
      throw damaged();
    }
    try {
      ByteBuffer from = ByteBuffer.wrap(bytes, 1, end - 1);
      Instant expires = Instant.ofEpochSecond(from.getLong());
      long id = from.getLong();
      byte[] secret = bytes(from, SECRET_BYTES);
      byte[] fingerprint = bytes(from, FINGERPRINT_BYTES);
      int port = Short.toUnsignedInt(from.getShort());
      String host = StandardCharsets.UTF_8.decode(from).toString();
      return new JoinToken(expires, id, secret, fingerprint, host, port);
    } catch (BufferUnderflowException e) {
      throw damaged();
    }
  }

  private static byte[] bytes(ByteBuffer from, int count) {
    byte[] bytes = new byte[count];
    from.get(bytes);
    return bytes;
  }

  private static IllegalArgumentException damaged() {
    return new IllegalArgumentException("the token is not complete; copy all of it");
  }

  private static int crc(byte[] bytes, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, count);
    return (int) crc.getValue();
  }

  /** As it is printed and typed. */
  public String text() {
    if (port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException("port " + port);
    }
    byte[] name = host.getBytes(StandardCharsets.UTF_8);
    ByteBuffer to = ByteBuffer.allocate(HOST + name.length + CRC_BYTES);
    to.put(VERSION).putLong(expires.getEpochSecond()).putLong(id).put(secret).put(fingerprint);
    to.putShort((short) port).put(name);
    to.putInt(crc(to.array(), to.position()));
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(to.array());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof JoinToken token
        && expires.equals(token.expires)
        && id == token.id
        && Arrays.equals(secret, token.secret)
        && Arrays.equals(fingerprint, token.fingerprint)
        && host.equals(token.host)
        && port == token.port;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "token %s for %s:%d".formatted(HexFormat.of().toHexDigits(id), host, port);
  }
}
