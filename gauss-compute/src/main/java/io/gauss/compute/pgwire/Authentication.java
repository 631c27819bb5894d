package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.auth.ScramExchange;
import io.gauss.compute.session.message.MessageReader;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/**
 * The SASL messages of one connection, from the offer of mechanisms to the client's proof. A wrong
 * password, an expired one and a user that does not exist get the same answers in the same form.
 * Belongs to the connection's event loop.
 */
final class Authentication {
  /** As PostgreSQL's PG_MAX_SASL_MESSAGE_LENGTH, with the length word. */
  static final int MAX_MESSAGE_BYTES = 1024 + PgProtocol.LENGTH_BYTES;

  private static final int NONCE_BYTES = 18;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final StartUpPacket packet;
  private final BackendWriter out;
  private final byte[] endPoint;
  private final long dependency;
  private final ScramExchange exchange;
  private boolean started;

  /**
   * @param credentials looks up the user's verifier
   * @param endPoint for channel binding; null when the connection is not encrypted
   */
  Authentication(
      StartUpPacket packet, Credentials credentials, byte[] endPoint, BackendWriter out) {
    this.packet = packet;
    this.out = out;
    this.endPoint = endPoint;
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    this.exchange =
        new ScramExchange(
            credentials.verifier(packet.user()),
            endPoint,
            Base64.getEncoder().encodeToString(nonce));
    this.dependency = credentials.dependency(); // not before the verifier was read
  }

  StartUpPacket packet() {
    return packet;
  }

  void offer() {
    out.authenticationSasl(
        endPoint == null
            ? List.of(ScramExchange.MECHANISM)
            : List.of(ScramExchange.MECHANISM_PLUS, ScramExchange.MECHANISM));
  }

  /**
   * Takes the next message of the client.
   *
   * @return whether the client has proved its identity
   * @throws GaussException 28P01 when the proof is wrong, 08P01 when a message is malformed
   */
  boolean take(MessageReader message) {
    if (!started) {
      started = true;
      String mechanism = message.readCString();
      int length = message.readInt();
      if (length < 0 || length != message.remaining()) {
        throw new GaussException(SqlState.PROTOCOL_VIOLATION, "malformed SCRAM message")
            .detail("The message is empty.");
      }
      out.authenticationSaslContinue(exchange.first(mechanism, text(message)));
      return false;
    }
    // Admitted or refused: the password may have been set by a commit that is not visible yet.
    out.requireVisible(dependency);
    out.mark();
    String last = exchange.last(text(message));
    if (last == null) {
      throw new GaussException(
          SqlState.INVALID_PASSWORD,
          "password authentication failed for user \"%s\"".formatted(packet.user()));
    }
    out.authenticationSaslFinal(last);
    return true;
  }

  private static String text(MessageReader message) {
    String text =
        new String(
            message.array(), message.position(), message.remaining(), StandardCharsets.UTF_8);
    message.skip(message.remaining());
    return text;
  }
}
