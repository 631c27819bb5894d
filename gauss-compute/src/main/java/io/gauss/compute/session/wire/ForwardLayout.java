package io.gauss.compute.session.wire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * "Will you run transactions of this client's session?" Integers are little-endian; text is an
 * int32 length and UTF-8.
 *
 * <pre>
 * question                                    answer
 *  0  2  version, 2                            0  2  version, 2
 *  2  2  number of settings                    2  2  1 = yes, 0 = no, and nothing follows
 *  4  4  number of the client's session        4  4  TCP port to come to
 *  8  4  oid of the role that connected        8  8  ticket, which lets in once
 * 12     address of the client, text          16  8    and its other half
 *        per setting: name, value             24  2  bytes that follow, 0 = not encrypted
 *        text each                            26     SHA-256 of the certificate
 * </pre>
 */
public final class ForwardLayout {
  public static final int VERSION = 2;

  private static final int QUESTION_BYTES = 12;
  private static final int ANSWER_BYTES = 26;
  private static final int MOST_SETTINGS = 1000;

  private ForwardLayout() {}

  /**
   * The initial state of a session.
   *
   * @param session its number
   * @param role oid of the one that connected
   * @param client its address and port; empty when that is not known
   * @param settings that are not the defaults, by name
   */
  public record Question(int session, int role, String client, Map<String, String> settings) {}

  /**
   * Where to connect.
   *
   * @param port TCP port
   * @param ticket admits once
   * @param ticketEnd its other half
   * @param certificate SHA-256 of it; empty = the connection is not encrypted. Not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Answer(int port, long ticket, long ticketEnd, byte[] certificate) {}

  public static ByteBuf writeQuestion(ByteBuf to, Question question) {
    to.writeShortLE(VERSION).writeShortLE(question.settings().size());
    to.writeIntLE(question.session()).writeIntLE(question.role());
    writeText(to, question.client());
    question
        .settings()
        .forEach(
            (name, value) -> {
              writeText(to, name);
              writeText(to, value);
            });
    return to;
  }

  private static void writeText(ByteBuf to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    to.writeIntLE(bytes.length).writeBytes(bytes);
  }

  /**
   * @throws GaussException 08P01
   */
  public static Question readQuestion(ByteBuf question) {
    ByteBuf from = question.duplicate();
    checkVersion(from, QUESTION_BYTES);
    int count = from.readUnsignedShortLE();
    int session = from.readIntLE();
    int role = from.readIntLE();
    String client = readText(from);
    if (count > MOST_SETTINGS) {
      throw malformed();
    }
    Map<String, String> settings = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      String name = readText(from);
      settings.put(name, readText(from));
    }
    if (from.isReadable()) {
      throw malformed();
    }
    return new Question(session, role, client, settings);
  }

  private static String readText(ByteBuf from) {
    int length = from.readableBytes() < Integer.BYTES ? -1 : from.readIntLE();
    if (length < 0 || length > from.readableBytes()) {
      throw malformed();
    }
    return from.readCharSequence(length, StandardCharsets.UTF_8).toString();
  }

  /**
   * @param answer null = no
   */
  public static ByteBuf writeAnswer(ByteBuf to, Answer answer) {
    to.writeShortLE(VERSION).writeShortLE(answer == null ? 0 : 1);
    if (answer != null) {
      to.writeIntLE(answer.port()).writeLongLE(answer.ticket()).writeLongLE(answer.ticketEnd());
      to.writeShortLE(answer.certificate().length).writeBytes(answer.certificate());
    }
    return to;
  }

  /**
   * Null when the node refuses the session.
   *
   * @throws GaussException 08P01
   */
  public static Answer readAnswer(ByteBuf answer) {
    ByteBuf from = answer.duplicate();
    checkVersion(from, 2 * Short.BYTES);
    if (from.readUnsignedShortLE() == 0) {
      return null;
    }
    if (from.readableBytes() < ANSWER_BYTES - 2 * Short.BYTES) {
      throw malformed();
    }
    int port = from.readIntLE();
    long ticket = from.readLongLE();
    long ticketEnd = from.readLongLE();
    byte[] certificate = new byte[from.readUnsignedShortLE()];
    if (from.readableBytes() != certificate.length) {
      throw malformed();
    }
    from.readBytes(certificate);
    return new Answer(port, ticket, ticketEnd, certificate);
  }

  private static void checkVersion(ByteBuf from, int least) {
    if (from.readableBytes() < least || from.readUnsignedShortLE() != VERSION) {
      throw malformed();
    }
  }

  private static GaussException malformed() {
    return new GaussException(
        SqlState.PROTOCOL_VIOLATION, "a message about forwarding a session that is none");
  }
}
