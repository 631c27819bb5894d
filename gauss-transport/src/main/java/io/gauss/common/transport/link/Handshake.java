package io.gauss.common.transport.link;

import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.ClusterKey;
import io.gauss.common.transport.EpochGuard;
import io.gauss.common.transport.NodeIdentity;
import io.gauss.common.transport.NodeRole;
import io.gauss.common.transport.RemoteNode;
import io.gauss.common.transport.link.HelloLayout.Hello;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * How two nodes verify that they belong to the same cluster: a pure state machine, one for each
 * side of a connection.
 *
 * <pre>
 * connecting side                      accepting side
 *   HELLO      versions, who, nonce  ->
 *              <-  CHALLENGE  version, who, nonce, MAC over both
 *   PROOF      MAC over both         ->
 *              <-  ACCEPT
 * </pre>
 *
 * Each MAC covers everything that both sides sent, with a label per side: a proof can neither be
 * replayed on another connection, since nonces are fresh on both sides, nor be sent back to its
 * author. The same secret and messages yield the keys for all later messages, one for each
 * direction ({@link FrameMac}). Where TLS protects these instead, the MACs also cover what only the
 * two ends of the TLS connection know ({@link WireEnds#channel}): otherwise whoever has a
 * certificate of the same authority could pass the hello on between two nodes, and then change what
 * follows.
 *
 * <p>A side that finds an error sends REFUSE with the reason instead, so that both sides can report
 * it to their operators. Anybody can send that, so it ends nothing but the attempt. Only an
 * authenticated challenge says that the connecting side's epoch is dead, since a process that
 * learns this ends. Each side also compares the other's number with its certificate ({@link
 * WireEnds#objection}): the secret alone, which all nodes have, makes nobody another node. Confined
 * to one thread.
 */
final class Handshake {
  private static final byte[] ACCEPTING = "gauss-accepting".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CONNECTING = "gauss-connecting".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FROM_ACCEPTING =
      "gauss-frames-from-accepting".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FROM_CONNECTING =
      "gauss-frames-from-connecting".getBytes(StandardCharsets.US_ASCII);
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final byte[] NOTHING = {};

  /** Clock counters above this would leave too few for the rest of the cluster's life. */
  private static final long MAX_CLOCK_COUNTER = 1L << 52;

  private enum Waiting {
    HELLO,
    CHALLENGE,
    PROOF,
    ACCEPT,
    NOTHING
  }

  /** The next step after a message. */
  sealed interface Step {}

  /**
   * @param done true when messages may follow behind this one
   */
  record Send(int kind, byte[] payload, boolean done) implements Step {}

  /** The other side has accepted us; messages may follow. */
  record Done() implements Step {}

  /**
   * Inform the other side and close.
   *
   * @param challenge to be sent before the reason; null = none
   */
  record Refuse(SqlState state, String reason, byte[] challenge) implements Step {
    Refuse(SqlState state, String reason) {
      this(state, reason, null);
    }
  }

  /** The other side closes. */
  record Refused(SqlState state, String reason) implements Step {}

  private final NodeIdentity self;
  private final ClusterKey key;
  private final EpochGuard guard;
  private final int lowest;
  private final int highest;
  private int expectedNode;
  private final WireEnds ends;
  private final boolean accepts;

  private Waiting waiting;
  private byte[] hello;
  private byte[] challenge;
  private int version;
  private Hello remote;

  private Handshake(
      NodeIdentity self,
      ClusterKey key,
      EpochGuard guard,
      int lowest,
      int highest,
      WireEnds ends,
      Waiting waiting) {
    this.self = self;
    this.key = key;
    this.guard = guard;
    this.lowest = lowest;
    this.highest = highest;
    this.ends = ends;
    this.waiting = waiting;
    this.accepts = waiting == Waiting.HELLO;
  }

  /**
   * @param ends asked when a message has come
   */
  static Handshake accepting(
      NodeIdentity self, ClusterKey key, EpochGuard guard, int lowest, int highest, WireEnds ends) {
    return new Handshake(self, key, guard, lowest, highest, ends, Waiting.HELLO);
  }

  /**
   * @param expectedNode at the other end, 0 = any
   * @param ends asked when a message has come
   */
  static Handshake connecting(
      NodeIdentity self,
      ClusterKey key,
      EpochGuard guard,
      int lowest,
      int highest,
      int expectedNode,
      WireEnds ends) {
    Handshake handshake = new Handshake(self, key, guard, lowest, highest, ends, Waiting.CHALLENGE);
    handshake.expectedNode = expectedNode;
    return handshake;
  }

  /** The first message of the connecting side. */
  byte[] hello() {
    hello = HelloLayout.encode(describe(lowest, highest, false, expectedNode), nonce());
    return hello;
  }

  /** The agreed version, once done. */
  int version() {
    return version;
  }

  /** The other side, once done. */
  RemoteNode remote() {
    return new RemoteNode(remote.node(), NodeRole.of(remote.role()), remote.epoch());
  }

  /** New keys for the messages of this connection, once done: they differ on each connection. */
  FrameKeys frameKeys() {
    FrameMac fromAccepting = new FrameMac(mac(FROM_ACCEPTING));
    FrameMac fromConnecting = new FrameMac(mac(FROM_CONNECTING));
    return accepts
        ? new FrameKeys(fromAccepting, fromConnecting)
        : new FrameKeys(fromConnecting, fromAccepting);
  }

  /** The other side's clock; it is authenticated at that point. */
  long remoteClock() {
    return remote.clock();
  }

  Step onMessage(int kind, byte[] payload) {
    if (kind == MessageKind.REFUSE) {
      FailureLayout.Failure failure =
          FailureLayout.decode(io.netty.buffer.Unpooled.wrappedBuffer(payload));
      waiting = Waiting.NOTHING;
      boolean saysDead = failure.state() == EpochGuard.DEAD; // who says so is not known
      return new Refused(
          saysDead ? SqlState.CONNECTION_REJECTED : failure.state(), failure.message());
    }
    Step step =
        switch (waiting) {
          case HELLO ->
              kind == MessageKind.HELLO && HelloLayout.hasMagic(payload) ? onHello(payload) : null;
          case CHALLENGE ->
              kind == MessageKind.CHALLENGE && HelloLayout.hasMagic(payload)
                  ? onChallenge(payload)
                  : null;
          case PROOF -> kind == MessageKind.PROOF ? onProof(payload) : null;
          case ACCEPT -> kind == MessageKind.ACCEPT ? finished() : null;
          case NOTHING -> null;
        };
    return step != null
        ? step
        : new Refuse(SqlState.PROTOCOL_VIOLATION, "message " + kind + " is no part of the hello");
  }

  private Step finished() {
    waiting = Waiting.NOTHING;
    return new Done();
  }

  private Step onHello(byte[] payload) {
    int theirLowest = HelloLayout.lowest(payload);
    int theirHighest = HelloLayout.highest(payload);
    version = Math.min(highest, theirHighest);
    if (version < lowest || version < theirLowest) {
      return new Refuse(
          SqlState.FEATURE_NOT_SUPPORTED,
          "%s speaks versions %d to %d of the protocol between nodes, the connecting node %d to %d"
              .formatted(self, lowest, highest, theirLowest, theirHighest));
    }
    if (payload.length != HelloLayout.HELLO_BYTES) {
      return null;
    }
    remote = HelloLayout.decode(payload);
    Refuse refusal = check(remote);
    if (refusal != null) {
      return refusal;
    }
    if (remote.expected() != 0 && remote.expected() != self.node()) {
      return new Refuse(
          SqlState.CONNECTION_REJECTED,
          "node %d was expected at this address, this is %s".formatted(remote.expected(), self));
    }
    hello = payload;
    Refuse death = checkEpoch(remote);
    challenge =
        HelloLayout.encode(describe(version, version, death != null, remote.node()), nonce());
    byte[] answer = Arrays.copyOf(challenge, HelloLayout.CHALLENGE_BYTES);
    System.arraycopy(mac(ACCEPTING), 0, answer, HelloLayout.HELLO_BYTES, HelloLayout.MAC_BYTES);
    if (death != null) {
      return new Refuse(death.state(), death.reason(), answer);
    }
    waiting = Waiting.PROOF;
    return new Send(MessageKind.CHALLENGE, answer, false);
  }

  private Step onChallenge(byte[] payload) {
    if (payload.length != HelloLayout.CHALLENGE_BYTES) {
      return null;
    }
    challenge = Arrays.copyOf(payload, HelloLayout.HELLO_BYTES);
    remote = HelloLayout.decode(challenge);
    Refuse refusal = check(remote);
    if (refusal != null) {
      return refusal;
    }
    byte[] mac = Arrays.copyOfRange(payload, HelloLayout.HELLO_BYTES, HelloLayout.CHALLENGE_BYTES);
    if (!MessageDigest.isEqual(mac, mac(ACCEPTING))) {
      return wrongSecret();
    }
    if (remote.youAreDead()) {
      waiting = Waiting.NOTHING;
      return new Refused(EpochGuard.DEAD, dead(self.node(), HelloLayout.decode(hello).epoch()));
    }
    Refuse death = checkEpoch(remote);
    if (death != null) {
      return death;
    }
    version = remote.lowest();
    if (version < lowest || version > highest || remote.highest() != version) {
      return new Refuse(
          SqlState.FEATURE_NOT_SUPPORTED,
          "version %d of the protocol between nodes was chosen, %s speaks %d to %d"
              .formatted(version, self, lowest, highest));
    }
    if (expectedNode != 0 && remote.node() != expectedNode) {
      return new Refuse(
          SqlState.CONNECTION_REJECTED,
          "node %d was expected at this address, node %d answered"
              .formatted(expectedNode, remote.node()));
    }
    waiting = Waiting.ACCEPT;
    return new Send(MessageKind.PROOF, mac(CONNECTING), false);
  }

  private Step onProof(byte[] payload) {
    if (!MessageDigest.isEqual(payload, mac(CONNECTING))) {
      return wrongSecret();
    }
    Refuse death = checkEpoch(remote); // it may have died during the hello
    if (death != null) {
      return death;
    }
    waiting = Waiting.NOTHING;
    return new Send(MessageKind.ACCEPT, NOTHING, true);
  }

  private Refuse wrongSecret() {
    return new Refuse(
        SqlState.INVALID_PASSWORD,
        "%s and node %d have different cluster secrets%s"
            .formatted(
                self,
                remote.node(),
                ends.channel().length == 0 ? "" : ", or somebody is between them"));
  }

  /** Covers everything that both sides have said, and where. */
  private byte[] mac(byte[] label) {
    return key.mac(label, hello, challenge, ends.channel());
  }

  private Refuse check(Hello other) {
    if (!other.cluster().equals(key.clusterId())) {
      return new Refuse(
          SqlState.CONNECTION_REJECTED,
          "%s belongs to cluster %s, the other node to cluster %s"
              .formatted(self, key.clusterId(), other.cluster()));
    }
    if (NodeRole.of(other.role()) == null || other.node() == 0) {
      return new Refuse(
          SqlState.FEATURE_NOT_SUPPORTED,
          "%s does not know nodes of role %d".formatted(self, other.role()));
    }
    String objection = ends.objection(other.node(), NodeRole.of(other.role()));
    if (objection != null) {
      return new Refuse(SqlState.INVALID_AUTHORIZATION_SPECIFICATION, objection);
    }
    if (other.clock() < 0 || Lsn.counter(other.clock()) > MAX_CLOCK_COUNTER) {
      return new Refuse(
          SqlState.PROTOCOL_VIOLATION,
          "the clock of node %d cannot be right: %s"
              .formatted(other.node(), Lsn.toString(other.clock())));
    }
    return null;
  }

  private Refuse checkEpoch(Hello other) {
    return guard.alive(other.node(), other.epoch())
        ? null
        : new Refuse(EpochGuard.DEAD, dead(other.node(), other.epoch()));
  }

  private static String dead(int node, int epoch) {
    return "epoch %d of node %d is dead".formatted(epoch, node);
  }

  private Hello describe(int low, int high, boolean otherIsDead, int expected) {
    return new Hello(
        low,
        high,
        self.role().id(),
        otherIsDead,
        self.node(),
        self.epoch().getAsInt(),
        expected,
        self.clock().now(),
        key.clusterId());
  }

  private static byte[] nonce() {
    byte[] nonce = new byte[HelloLayout.NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    return nonce;
  }
}
