package io.gauss.compute.auth;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The server's side of one SCRAM-SHA-256 exchange: client-first in, server-first out, client-final
 * in, server-final out (RFC 5802, section 5). Not thread-safe.
 */
public final class ScramExchange {
  public static final String MECHANISM = "SCRAM-SHA-256";
  public static final String MECHANISM_PLUS = "SCRAM-SHA-256-PLUS";

  private static final String BINDING_TYPE = "tls-server-end-point";

  private final ScramVerifier verifier;
  private final byte[] endPoint;
  private final String serverNonce;
  private String gs2Header;
  private boolean bound;
  private String nonce;
  private String clientFirstBare;
  private String serverFirst;

  /**
   * @param endPoint tls-server-end-point data of the server's certificate (RFC 5929); null when the
   *     connection has none
   * @param serverNonce printable, without commas, fresh for every exchange
   */
  public ScramExchange(ScramVerifier verifier, byte[] endPoint, String serverNonce) {
    this.verifier = verifier;
    this.endPoint = endPoint;
    this.serverNonce = serverNonce;
  }

  /**
   * Processes client-first.
   *
   * @return server-first
   * @throws GaussException 08P01 when the message is malformed, 28000 when the client was led to
   *     believe that the server does not support channel binding, 0A000 for an authorization
   *     identity
   */
  public String first(String mechanism, String message) {
    boolean plus = mechanism.equals(MECHANISM_PLUS);
    if (!(plus && endPoint != null) && !mechanism.equals(MECHANISM)) {
      throw malformed("client selected an invalid SASL authentication mechanism");
    }
    int comma = message.indexOf(',');
    int second = message.indexOf(',', comma + 1);
    if (comma < 1 || second < 0) {
      throw malformed("malformed SCRAM message").detail("The message is cut short.");
    }
    String flag = message.substring(0, comma);
    switch (flag.charAt(0)) {
      case 'n' -> {
        if (plus || flag.length() > 1) {
          throw malformed("malformed SCRAM message")
              .detail(
                  "The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include"
                      + " channel binding data.");
        }
      }
      case 'y' -> {
        if (plus || flag.length() > 1) {
          throw malformed("malformed SCRAM message")
              .detail(
                  "The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include"
                      + " channel binding data.");
        }
        if (endPoint != null) {
          throw new GaussException(
                  SqlState.INVALID_AUTHORIZATION_SPECIFICATION,
                  "SCRAM channel binding negotiation error")
              .detail(
                  "The client supports SCRAM channel binding but thinks the server does not. "
                      + " However, this server does support channel binding.");
        }
      }
      case 'p' -> {
        if (!plus) {
          throw malformed("malformed SCRAM message")
              .detail(
                  "The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message"
                      + " includes channel binding data.");
        }
        if (!flag.equals("p=" + BINDING_TYPE)) {
          throw malformed("unsupported SCRAM channel-binding type \"" + flag.substring(1) + "\"");
        }
        bound = true;
      }
      default ->
          throw malformed("malformed SCRAM message").detail("Unexpected channel binding flag.");
    }
    if (second != comma + 1) {
      throw GaussException.notSupported("a SCRAM authorization identity");
    }
    gs2Header = message.substring(0, second + 1);
    clientFirstBare = message.substring(second + 1);
    String[] attributes = clientFirstBare.split(",", -1);
    if (attributes[0].startsWith("m=")) {
      throw GaussException.notSupported("a mandatory SCRAM extension");
    }
    // The user name comes from the start-up packet; the one in this message may be anything.
    if (attributes.length < 2 || !attributes[0].startsWith("n=")) {
      throw malformed("malformed SCRAM message");
    }
    String clientNonce = attribute(attributes[1], 'r');
    if (clientNonce.isEmpty() || clientNonce.chars().anyMatch(c -> c < 0x21 || c > 0x7E)) {
      throw malformed("malformed SCRAM message").detail("non-printable characters in SCRAM nonce");
    }
    nonce = clientNonce + serverNonce;
    serverFirst = "r=" + nonce + ",s=" + verifier.saltText() + ",i=" + verifier.iterations();
    return serverFirst;
  }

  /**
   * Processes client-final.
   *
   * @return server-final; null when the proof is wrong
   * @throws GaussException 08P01 when the message is malformed, 28000 when the channel differs
   */
  public String last(String message) {
    int proofAt = message.lastIndexOf(",p=");
    if (proofAt < 0) {
      throw malformed("malformed SCRAM message");
    }
    String withoutProof = message.substring(0, proofAt);
    String[] attributes = withoutProof.split(",", -1);
    if (attributes.length < 2) {
      throw malformed("malformed SCRAM message");
    }
    if (!attribute(attributes[0], 'c').equals(expectedBinding())) {
      if (bound) {
        throw new GaussException(
            SqlState.INVALID_AUTHORIZATION_SPECIFICATION, "SCRAM channel binding check failed");
      }
      throw malformed("unexpected SCRAM channel-binding attribute in client-final-message");
    }
    if (!attribute(attributes[1], 'r').equals(nonce)) {
      throw malformed("invalid SCRAM response").detail("Nonce does not match.");
    }
    byte[] proof;
    try {
      proof = Base64.getDecoder().decode(message.substring(proofAt + 3));
    } catch (IllegalArgumentException e) {
      throw malformed("malformed SCRAM message").detail("Malformed proof in client-final-message.");
    }
    if (proof.length != ScramVerifier.KEY_BYTES) {
      throw malformed("malformed SCRAM message").detail("Malformed proof in client-final-message.");
    }
    byte[] authMessage =
        (clientFirstBare + "," + serverFirst + "," + withoutProof).getBytes(StandardCharsets.UTF_8);
    if (!verifier.accepts(proof, authMessage)) {
      return null;
    }
    return "v=" + Base64.getEncoder().encodeToString(verifier.serverSignature(authMessage));
  }

  private String expectedBinding() {
    ByteArrayOutputStream input = new ByteArrayOutputStream();
    input.writeBytes(gs2Header.getBytes(StandardCharsets.UTF_8));
    if (bound) {
      input.writeBytes(endPoint);
    }
    return Base64.getEncoder().encodeToString(input.toByteArray());
  }

  private static String attribute(String text, char name) {
    if (text.length() < 2 || text.charAt(0) != name || text.charAt(1) != '=') {
      throw malformed("malformed SCRAM message")
          .detail("Expected attribute \"" + name + "\" but found something else.");
    }
    return text.substring(2);
  }

  private static GaussException malformed(String message) {
    return new GaussException(SqlState.PROTOCOL_VIOLATION, message);
  }
}
