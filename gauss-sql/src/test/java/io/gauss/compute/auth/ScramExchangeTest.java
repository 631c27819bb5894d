package io.gauss.compute.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** The exchange of RFC 7677, section 3, and what must not pass. */
class ScramExchangeTest {
  private static final String FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
  private static final String SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  private static final String SALT = "W22ZaJ0SNY7soEsUEjb6gQ==";
  private static final String FINAL =
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
          + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
  private static final byte[] CERTIFICATE = "certificate".getBytes(StandardCharsets.US_ASCII);

  private static ScramExchange exchange(byte[] endPoint) {
    byte[] salt = Base64.getDecoder().decode(SALT);
    return new ScramExchange(ScramVerifier.of("pencil", salt, 4096), endPoint, SERVER_NONCE);
  }

  @Test
  void theExampleOfTheRfcPasses() {
    ScramExchange exchange = exchange(null);
    assertEquals(
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        exchange.first("SCRAM-SHA-256", FIRST));
    assertEquals("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", exchange.last(FINAL));
  }

  @Test
  void anotherProofDoesNot() {
    ScramExchange exchange = exchange(null);
    exchange.first("SCRAM-SHA-256", FIRST);
    assertNull(exchange.last(FINAL.replace("p=dHz", "p=eHz")));
  }

  @Test
  void aNonceOfAnotherExchangeIsRefused() {
    ScramExchange exchange = exchange(null);
    exchange.first("SCRAM-SHA-256", FIRST);
    refused("08P01", () -> exchange.last(FINAL.replace("k0,", "k1,")));
  }

  @Test
  void aClientThatWasToldThereIsNoChannelBindingIsRefusedWhereThereIs() {
    refused("28000", () -> exchange(CERTIFICATE).first("SCRAM-SHA-256", "y" + FIRST.substring(1)));
  }

  @Test
  void channelBindingToAnotherCertificateIsRefused() {
    ScramExchange exchange = exchange(CERTIFICATE);
    exchange.first("SCRAM-SHA-256-PLUS", "p=tls-server-end-point" + FIRST.substring(1));
    String other =
        Base64.getEncoder()
            .encodeToString("p=tls-server-end-point,,other".getBytes(StandardCharsets.US_ASCII));
    refused("28000", () -> exchange.last(FINAL.replace("biws", other)));
  }

  @Test
  void channelBindingIsNotThereWithoutEncryption() {
    refused(
        "08P01",
        () ->
            exchange(null)
                .first("SCRAM-SHA-256-PLUS", "p=tls-server-end-point" + FIRST.substring(1)));
  }

  @Test
  void brokenMessagesAreProtocolViolations() {
    for (String broken :
        new String[] {
          "", "n", "n,,", "x,,n=,r=a", "n,,r=a,n=", "n,,n=,r=", "n,,n=", "n,,n=,r=\t"
        }) {
      refused("08P01", () -> exchange(null).first("SCRAM-SHA-256", broken));
    }
    for (String broken : new String[] {"", "c=biws", "c=biws,p=", "r=a,c=biws,p=AAAA", ",,,p="}) {
      ScramExchange exchange = exchange(null);
      exchange.first("SCRAM-SHA-256", FIRST);
      refused("08P01", () -> exchange.last(broken));
    }
  }

  @Test
  void aVerifierReadsBackAndAPasswordIsHashed() {
    String text = ScramVerifier.toStore("pencil");
    assertEquals(text, ScramVerifier.toStore(text));
    assertEquals(text, ScramVerifier.parse(text).text());
    assertNull(ScramVerifier.parse("pencil"));
    assertNull(ScramVerifier.parse("SCRAM-SHA-256$4096:AAAA$AAAA:AAAA"));
    assertNull(ScramVerifier.toStore(""));
    refused("0A000", () -> ScramVerifier.toStore("md5" + "0123456789abcdef".repeat(2)));
  }

  @Test
  void passwordsAreNormalised() {
    assertEquals("IX", SaslPrep.prepare("I\u00ADX"));
    assertEquals("IX", SaslPrep.prepare("\u2168"));
    assertEquals("a", SaslPrep.prepare("\u00AA"));
    assertEquals("\u0007", SaslPrep.prepare("\u0007"));
    assertEquals("\u06271", SaslPrep.prepare("\u06271"));
  }

  @Test
  void aNameThatNobodyHasAlwaysGetsTheSameSalt() {
    byte[] secret = {1, 2, 3};
    assertEquals(
        ScramVerifier.mock(secret, "bob").saltText(), ScramVerifier.mock(secret, "bob").saltText());
  }

  private static void refused(String state, org.junit.jupiter.api.function.Executable call) {
    assertEquals(state, assertThrows(GaussException.class, call).state().code());
  }
}
