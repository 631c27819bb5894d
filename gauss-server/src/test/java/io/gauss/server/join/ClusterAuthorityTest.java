package io.gauss.server.join;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.storage.disk.PrivateFiles;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The authority that signs nodes' certificates. */
class ClusterAuthorityTest {
  private static final Instant NOW = Instant.parse("2026-11-29T00:00:00Z");

  @TempDir Path data;

  private static ClusterAuthority.Issued issue(ClusterAuthority authority, String host)
      throws Exception {
    return authority.issue(Pem.newKey().getPublic().getEncoded(), host, 0, 3, NOW);
  }

  @Test
  void eachNodeGetsANumberThatNoneHasHad() throws Exception {
    ClusterAuthority authority = ClusterAuthority.create(data, NOW);
    assertEquals(1, issue(authority, "a").node());
    assertEquals(2, issue(authority, "b").node());
    assertEquals(3, issue(ClusterAuthority.open(data), "c").node());
    GaussException full = assertThrows(GaussException.class, () -> issue(authority, "d"));
    assertEquals(SqlState.PROGRAM_LIMIT_EXCEEDED, full.state());
  }

  /** What was restored is older than the last nodes. */
  @Test
  void numbersOfNodesThatAreKnownOtherwiseAreNotGivenAgain() throws Exception {
    ClusterAuthority authority = ClusterAuthority.create(data, NOW);
    byte[] key = Pem.newKey().getPublic().getEncoded();
    assertEquals(8, authority.issue(key, "a", 7, 9, NOW).node());
    assertEquals(9, authority.issue(key, "a", 0, 9, NOW).node());
  }

  /**
   * It was given its number before, and has not got the certificate, or has another address now.
   */
  @Test
  void aNodeGetsACertificateAgain() throws Exception {
    ClusterAuthority authority = ClusterAuthority.create(data, NOW);
    byte[] key = Pem.newKey().getPublic().getEncoded();
    assertEquals(1, authority.issue(key, "a", 0, 3, NOW).node());
    X509Certificate again =
        Pem.certificates(authority.issueAgain(1, key, "b", NOW).pem()).getFirst();
    assertEquals("CN=node-1", again.getSubjectX500Principal().getName());
    assertArrayEquals(key, again.getPublicKey().getEncoded());
    assertEquals(2, issue(authority, "c").node());
  }

  @Test
  void aKeyThatIsThereStays() {
    NodeCredentials own = NodeCredentials.in(data);
    byte[] key = own.makeKey();
    assertArrayEquals(key, own.makeKey());
  }

  @Test
  void certificatesAreSignedForTheKeyTheNumberAndTheHost() throws Exception {
    ClusterAuthority authority = ClusterAuthority.create(data, NOW);
    X509Certificate own = Pem.certificates(issue(authority, "db.example.org").pem()).getFirst();
    X509Certificate by = Pem.certificates(authority.certificate()).getFirst();
    own.verify(by.getPublicKey());
    assertEquals("CN=node-1", own.getSubjectX500Principal().getName());
    assertTrue(
        own.getSubjectAlternativeNames().contains(List.of(2, "db.example.org")), own::toString);
    assertEquals(-1, own.getBasicConstraints(), "signs no others");
    assertTrue(by.getBasicConstraints() >= 0);
    own.checkValidity(Date.from(NOW.minus(Duration.ofHours(23)))); // on a clock that is behind
    X509Certificate ofAddress = Pem.certificates(issue(authority, "10.0.0.5").pem()).getFirst();
    assertTrue(ofAddress.getSubjectAlternativeNames().contains(List.of(7, "10.0.0.5")));
  }

  @Test
  void anAuthorityThatIsThereStays() {
    byte[] before = ClusterAuthority.create(data, NOW).fingerprint();
    assertArrayEquals(before, ClusterAuthority.create(data, NOW).fingerprint());
    assertArrayEquals(before, ClusterAuthority.open(data).fingerprint());
  }

  @Test
  void nobodyElseCanReadItsKey() throws Exception {
    ClusterAuthority.create(data, NOW);
    PrivateFiles.checkSecret(data.resolve("authority/authority.key"));
  }

  @Test
  void whatIsNoKeyIsRefused() {
    ClusterAuthority authority = ClusterAuthority.create(data, NOW);
    GaussException refused =
        assertThrows(GaussException.class, () -> authority.issue(new byte[] {1}, "a", 0, 3, NOW));
    assertEquals(SqlState.INVALID_PARAMETER_VALUE, refused.state());
  }
}
