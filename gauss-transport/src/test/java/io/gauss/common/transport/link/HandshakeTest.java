package io.gauss.common.transport.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.SqlState;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.TestNodes;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The hello, step by step. */
class HandshakeTest {
  private final NodeIdentity one = TestNodes.config(1, NodeRole.STORAGE).self();
  private final NodeIdentity two = TestNodes.config(2, NodeRole.COMPUTE).self();
  private byte[] acceptingChannel = Wire.NO_CHANNEL;
  private byte[] connectingChannel = Wire.NO_CHANNEL;
  private final Handshake accepting = accepting(1, 1, EpochGuard.NONE);
  private final Handshake connecting = connecting(1, 1);

  private Handshake accepting(int lowest, int highest, EpochGuard guard) {
    return Handshake.accepting(one, TestNodes.KEY, guard, lowest, highest, () -> acceptingChannel);
  }

  private Handshake connecting(int lowest, int highest) {
    return Handshake.connecting(
        two, TestNodes.KEY, EpochGuard.NONE, lowest, highest, 1, () -> connectingChannel);
  }

  private static byte[] sent(Handshake.Step step) {
    return assertInstanceOf(Handshake.Send.class, step).payload();
  }

  private static Handshake.Refuse refused(Handshake.Step step) {
    return assertInstanceOf(Handshake.Refuse.class, step);
  }

  @Test
  void bothSidesAgreeOnTheHighestVersionThatBothSpeak() {
    Handshake newer = accepting(1, 9, EpochGuard.NONE);
    Handshake older = connecting(1, 4);
    byte[] challenge = sent(newer.onMessage(MessageKind.HELLO, older.hello()));
    byte[] proof = sent(older.onMessage(MessageKind.CHALLENGE, challenge));
    byte[] accept = sent(newer.onMessage(MessageKind.PROOF, proof));
    assertInstanceOf(Handshake.Done.class, older.onMessage(MessageKind.ACCEPT, accept));
    assertEquals(4, newer.version());
    assertEquals(4, older.version());
    assertEquals(2, newer.remote().node());
    assertEquals(NodeRole.STORAGE, older.remote().role());
  }

  @Test
  void versionsThatDoNotMeetAreRefusedWithBothInTheText() {
    Handshake.Refuse refuse =
        refused(
            accepting(3, 4, EpochGuard.NONE)
                .onMessage(MessageKind.HELLO, connecting(1, 2).hello()));
    assertEquals(SqlState.FEATURE_NOT_SUPPORTED, refuse.state());
    assertTrue(refuse.reason().contains("versions 3 to 4"), refuse.reason());
    assertTrue(refuse.reason().contains("1 to 2"), refuse.reason());
  }

  @Test
  void aChangedByteOfTheChallengeIsNoticed() {
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, connecting.hello()));
    challenge[HelloLayout.EPOCH] ^= 1;
    Handshake.Refuse refuse = refused(connecting.onMessage(MessageKind.CHALLENGE, challenge));
    assertEquals(SqlState.INVALID_PASSWORD, refuse.state());
  }

  @Test
  void aChangedByteOfTheHelloIsNoticedByTheConnectingSide() {
    byte[] hello = connecting.hello().clone();
    hello[HelloLayout.ROLE] = (byte) NodeRole.MEMORY.id();
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, hello));
    refused(connecting.onMessage(MessageKind.CHALLENGE, challenge));
  }

  @Test
  void aProofFromAnotherConnectionIsRefused() {
    Handshake earlier = accepting(1, 1, EpochGuard.NONE);
    byte[] hello = connecting.hello();
    byte[] challenge = sent(earlier.onMessage(MessageKind.HELLO, hello));
    byte[] proof = sent(connecting.onMessage(MessageKind.CHALLENGE, challenge));
    sent(accepting.onMessage(MessageKind.HELLO, hello));
    assertEquals(
        SqlState.INVALID_PASSWORD, refused(accepting.onMessage(MessageKind.PROOF, proof)).state());
  }

  @Test
  void theAcceptingSidesOwnProofSentBackIsRefused() {
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, connecting.hello()));
    byte[] mac = new byte[HelloLayout.MAC_BYTES];
    System.arraycopy(challenge, HelloLayout.HELLO_BYTES, mac, 0, mac.length);
    refused(accepting.onMessage(MessageKind.PROOF, mac));
  }

  @Test
  void aDeadEpochIsToldByAnAuthenticatedChallenge() {
    Handshake guarded = accepting(1, 1, (node, epoch) -> epoch > 1);
    Handshake.Refuse refuse = refused(guarded.onMessage(MessageKind.HELLO, connecting.hello()));
    assertEquals("epoch 1 of node 2 is dead", refuse.reason());
    byte[] changed = refuse.challenge().clone();
    changed[HelloLayout.NONCE] ^= 1;
    assertEquals(
        SqlState.INVALID_PASSWORD,
        refused(connecting.onMessage(MessageKind.CHALLENGE, changed)).state());
    Handshake.Refused refused =
        assertInstanceOf(
            Handshake.Refused.class,
            connecting.onMessage(MessageKind.CHALLENGE, refuse.challenge()));
    assertEquals(EpochGuard.DEAD, refused.state());
    assertEquals("epoch 1 of node 2 is dead", refused.reason());
    refused(guarded.onMessage(MessageKind.PROOF, new byte[HelloLayout.MAC_BYTES]));
  }

  @Test
  void aChallengeThatSaysNothingOfADeathCannotBeMadeToSayIt() {
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, connecting.hello()));
    challenge[HelloLayout.YOU_ARE_DEAD] = 1;
    assertEquals(
        SqlState.INVALID_PASSWORD,
        refused(connecting.onMessage(MessageKind.CHALLENGE, challenge)).state());
  }

  /** A process ends when it learns that its epoch is dead, and anybody may have its peer's port. */
  @Test
  void aRefusalThatNobodyHasAuthenticatedDoesNotSayThatTheEpochIsDead() {
    connecting.hello();
    byte[] refusal = FailureLayout.encode(EpochGuard.DEAD, "epoch 1 of node 2 is dead");
    Handshake.Refused refused =
        assertInstanceOf(
            Handshake.Refused.class, connecting.onMessage(MessageKind.REFUSE, refusal));
    assertEquals(SqlState.CONNECTION_REJECTED, refused.state());
  }

  @Test
  void anEpochThatDiesDuringTheHelloIsRefused() {
    AtomicBoolean alive = new AtomicBoolean(true);
    Handshake guarded = accepting(1, 1, (node, epoch) -> alive.get());
    byte[] challenge = sent(guarded.onMessage(MessageKind.HELLO, connecting.hello()));
    byte[] proof = sent(connecting.onMessage(MessageKind.CHALLENGE, challenge));
    alive.set(false);
    assertEquals(EpochGuard.DEAD, refused(guarded.onMessage(MessageKind.PROOF, proof)).state());
  }

  /** With TLS whoever has a certificate of the same authority can be between two nodes. */
  @Test
  void aHelloThatSomebodyPassesOnFromOneEncryptedConnectionToAnotherIsRefused() {
    connectingChannel = new byte[] {1};
    acceptingChannel = new byte[] {2};
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, connecting.hello()));
    Handshake.Refuse refuse = refused(connecting.onMessage(MessageKind.CHALLENGE, challenge));
    assertEquals(SqlState.INVALID_PASSWORD, refuse.state());
    assertTrue(refuse.reason().endsWith("or somebody is between them"), refuse.reason());
  }

  @Test
  void messagesOutOfTurnAndTornOnesAreRefused() {
    refused(accepting.onMessage(MessageKind.PROOF, new byte[32]));
    refused(accepting(1, 1, EpochGuard.NONE).onMessage(MessageKind.HELLO, new byte[3]));
    byte[] hello = connecting.hello();
    refused(
        accepting(1, 1, EpochGuard.NONE)
            .onMessage(MessageKind.HELLO, java.util.Arrays.copyOf(hello, hello.length - 1)));
  }

  private static WireEnds certifying(int node) {
    return new WireEnds() {
      @Override
      public byte[] channel() {
        return Wire.NO_CHANNEL;
      }

      @Override
      public String objection(int claimed, NodeRole role) {
        return claimed == node ? null : "the certificate is that of node " + node;
      }
    };
  }

  /** The secret alone, which all nodes have, makes nobody another node. */
  @Test
  void theAcceptingSideComparesTheNumberWithTheCertificate() {
    Handshake accepts =
        Handshake.accepting(one, TestNodes.KEY, EpochGuard.NONE, 1, 1, certifying(3));
    Handshake.Refuse refuse = refused(accepts.onMessage(MessageKind.HELLO, connecting.hello()));
    assertEquals(SqlState.INVALID_AUTHORIZATION_SPECIFICATION, refuse.state());
    assertEquals("the certificate is that of node 3", refuse.reason());
  }

  @Test
  void theConnectingSideComparesTheNumberWithTheCertificate() {
    Handshake connects =
        Handshake.connecting(two, TestNodes.KEY, EpochGuard.NONE, 1, 1, 0, certifying(3));
    byte[] challenge = sent(accepting.onMessage(MessageKind.HELLO, connects.hello()));
    Handshake.Refuse refuse = refused(connects.onMessage(MessageKind.CHALLENGE, challenge));
    assertEquals(SqlState.INVALID_AUTHORIZATION_SPECIFICATION, refuse.state());
    assertEquals("the certificate is that of node 3", refuse.reason());
  }
}
