package io.gauss.compute.pgwire;

import static io.gauss.compute.pgwire.WireMessages.message;
import static io.gauss.compute.pgwire.WireMessages.query;
import static io.gauss.compute.pgwire.WireMessages.request;
import static io.gauss.compute.pgwire.WireMessages.startup;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages before a client has proved who it is, byte by byte. */
class GaussAuthenticationTest {
  @RegisterExtension
  static final GaussNode NODE = new GaussNode(Map.of("auth.loopback", "scram", "tls", "generate"));

  private static final int VERSION_3_0 = PgProtocol.PROTOCOL_3_0;

  private static byte[] first(String mechanism, String data) {
    byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
    return message(
        'p',
        out -> {
          WireMessages.cstring(out, mechanism);
          out.writeInt(bytes.length);
          out.write(bytes);
        });
  }

  private static byte[] next(String data) {
    return message('p', out -> out.write(data.getBytes(StandardCharsets.UTF_8)));
  }

  private static String refusal(byte[]... afterStartup) throws IOException {
    try (WireClient client = new WireClient(NODE.port())) {
      client.send(startup(VERSION_3_0, "user", "nobody", "database", "gauss"));
      client.read(1);
      client.send(afterStartup);
      return client.readUntilClosed();
    }
  }

  @Test
  void aQueryInPlaceOfAProofIsRefused() throws IOException {
    assertEquals(
        "FATAL 08P01 expected SASL response, got message type 81\nclosed",
        refusal(query("SELECT 1")));
  }

  @Test
  void anUnknownMechanismIsRefused() throws IOException {
    assertEquals(
        "FATAL 08P01 client selected an invalid SASL authentication mechanism\nclosed",
        refusal(first("PLAIN", "n,,n=,r=abc")));
  }

  @Test
  void aLongMessageIsRefusedBeforeThereIsRoomMadeForIt() throws IOException {
    assertEquals("FATAL 08P01 invalid message length\nclosed", refusal(next("x".repeat(2_000))));
  }

  @Test
  void lengthsThatDoNotFitAreRefused() throws IOException {
    assertEquals(
        "FATAL 08P01 malformed SCRAM message\nclosed",
        refusal(
            message(
                'p',
                out -> {
                  WireMessages.cstring(out, "SCRAM-SHA-256");
                  out.writeInt(1_000_000);
                })));
  }

  @Test
  void anUnknownUserIsAnsweredAsAKnownOneUpToTheEnd() throws IOException {
    String answer =
        refusal(
            first("SCRAM-SHA-256", "n,,n=,r=abc"), next("c=biws,r=abc,p=" + "A".repeat(43) + "="));
    assertEquals("Authentication 11", answer.lines().findFirst().orElseThrow().substring(0, 17));
  }

  @Test
  void clearTextBehindARequestForEncryptionIsRefused() throws IOException {
    try (WireClient client = new WireClient(NODE.port())) {
      client.send(request(PgProtocol.SSL_REQUEST), startup(VERSION_3_0, "user", "gauss"));
      assertEquals('N', client.readByte());
      assertEquals(
          "FATAL 08P01 received unencrypted data after SSL request\nclosed",
          client.readUntilClosed());
    }
  }

  @Test
  void encryptionIsOffered() throws IOException {
    try (WireClient client = new WireClient(NODE.port())) {
      client.send(request(PgProtocol.SSL_REQUEST));
      assertEquals('S', client.readByte());
    }
  }
}
