package io.gauss.common.transport.link;

/** The transport's kind of a message: byte 9 of the header. */
public final class MessageKind {
  // Before the other side is known: in frames of version 0, which never changes.
  public static final int HELLO = 1;
  public static final int CHALLENGE = 2;
  public static final int PROOF = 3;
  public static final int ACCEPT = 4;

  /** Ends the hello; payload as of FAILURE. */
  public static final int REFUSE = 5;

  public static final int REQUEST = 16;

  /** A request that is answered by a stream; argument: credit in bytes. */
  public static final int STREAM_REQUEST = 17;

  public static final int ONE_WAY = 18;
  public static final int CANCEL = 19;

  /** Argument: bytes of credit given back. */
  public static final int CREDIT = 20;

  public static final int REPLY = 32;

  /** Payload: {@link FailureLayout}. */
  public static final int FAILURE = 33;

  public static final int ITEM = 34;
  public static final int END = 35;

  /** Shows that the sender is alive; has no answer. */
  public static final int PING = 48;

  /** The sender closes the connection; payload as of FAILURE. */
  public static final int GOODBYE = 49;

  private MessageKind() {}

  /** For traces. */
  static String name(int kind) {
    return switch (kind) {
      case HELLO -> "hello";
      case CHALLENGE -> "challenge";
      case PROOF -> "proof";
      case ACCEPT -> "accept";
      case REFUSE -> "refuse";
      case REQUEST -> "request";
      case STREAM_REQUEST -> "stream";
      case ONE_WAY -> "one-way";
      case CANCEL -> "cancel";
      case CREDIT -> "credit";
      case REPLY -> "reply";
      case FAILURE -> "failure";
      case ITEM -> "item";
      case END -> "end";
      case PING -> "ping";
      case GOODBYE -> "goodbye";
      default -> Integer.toString(kind);
    };
  }

  static boolean isHello(int kind) {
    return kind >= HELLO && kind <= REFUSE;
  }
}
