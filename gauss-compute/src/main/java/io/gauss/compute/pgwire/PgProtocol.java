package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/** Numbers of PostgreSQL's frontend/backend protocol 3.0 (PostgreSQL documentation, chapter 55). */
final class PgProtocol {
  static final int PROTOCOL_3_0 = 196608;
  static final int SSL_REQUEST = 80877103;
  static final int GSSENC_REQUEST = 80877104;
  static final int CANCEL_REQUEST = 80877102;

  /**
   * In place of a start-up packet: a ticket of 16 bytes, with which a node of the cluster connects
   * for a transaction of one of its clients. Not part of PostgreSQL.
   */
  static final int PASS_REQUEST = 1234 << 16 | 5697;

  /** Bytes of a length word, which counts itself. */
  static final int LENGTH_BYTES = 4;

  /** A start-up packet is small; a peer that sends more is not a client. */
  static final int MAX_STARTUP_BYTES = 10_000;

  /**
   * PostgreSQL takes messages of up to 1 GB; here a message is held in memory while it is read, so
   * the bound is lower.
   */
  static final int MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

  /** CopyData is never held as a whole, so its bound is PostgreSQL's. */
  private static final int MAX_COPY_DATA_BYTES = 0x3FFF_FFFE;

  /** Messages that hold names only are small, as in PostgreSQL. */
  private static final int MAX_SMALL_MESSAGE_BYTES = 10_000;

  // Frontend messages.
  static final byte BIND = 'B';
  static final byte CLOSE = 'C';
  static final byte DESCRIBE = 'D';
  static final byte EXECUTE = 'E';
  static final byte FLUSH = 'H';
  static final byte FUNCTION_CALL = 'F';
  static final byte PASSWORD = 'p';
  static final byte PARSE = 'P';
  static final byte QUERY = 'Q';
  static final byte SYNC = 'S';
  static final byte TERMINATE = 'X';
  static final byte COPY_DATA = 'd';
  static final byte COPY_DONE = 'c';
  static final byte COPY_FAIL = 'f';

  /**
   * Between nodes, both ways: {@link io.gauss.compute.session.StateTransfer}. Not part of
   * PostgreSQL.
   */
  static final byte PASS_STATE = 'g';

  /**
   * To the node that forwards transactions: this one leaves. The receiver ends the session, since
   * only it knows whether a transaction is on its way. Not part of PostgreSQL.
   */
  static final byte PASS_LEAVING = 'l';

  // Backend messages.
  static final byte AUTHENTICATION = 'R';
  static final byte BACKEND_KEY_DATA = 'K';
  static final byte BIND_COMPLETE = '2';
  static final byte CLOSE_COMPLETE = '3';
  static final byte COMMAND_COMPLETE = 'C';
  static final byte COPY_IN_RESPONSE = 'G';
  static final byte COPY_OUT_RESPONSE = 'H';
  static final byte DATA_ROW = 'D';
  static final byte EMPTY_QUERY_RESPONSE = 'I';
  static final byte ERROR_RESPONSE = 'E';
  static final byte NEGOTIATE_PROTOCOL_VERSION = 'v';
  static final byte NO_DATA = 'n';
  static final byte NOTICE_RESPONSE = 'N';
  static final byte NOTIFICATION_RESPONSE = 'A';
  static final byte PARAMETER_DESCRIPTION = 't';
  static final byte PARAMETER_STATUS = 'S';
  static final byte PARSE_COMPLETE = '1';
  static final byte PORTAL_SUSPENDED = 's';
  static final byte READY_FOR_QUERY = 'Z';
  static final byte ROW_DESCRIPTION = 'T';

  private PgProtocol() {}

  /** Maximum length of a frontend message with its length word; 0 = there is no such message. */
  static int maxLength(byte type) {
    return switch (type) {
      case BIND, PARSE, QUERY, FUNCTION_CALL -> MAX_MESSAGE_BYTES;
      case COPY_DATA -> MAX_COPY_DATA_BYTES;
      case EXECUTE, DESCRIBE, CLOSE, SYNC, FLUSH, TERMINATE, COPY_DONE, COPY_FAIL ->
          MAX_SMALL_MESSAGE_BYTES;
      default -> 0;
    };
  }

  /**
   * Checks a message before room is allocated for it.
   *
   * @throws GaussException 08P01 when there is no such message, or none of that length
   */
  static void checkHeader(byte type, int length) {
    check(type, length, maxLength(type));
  }

  /**
   * Whether a Sync has to follow once this message has been taken.
   *
   * @param before whether it had to before
   */
  static boolean isInGroup(byte type, boolean before) {
    return switch (type) {
      case PARSE, BIND, DESCRIBE, EXECUTE, CLOSE, FLUSH -> true;
      case SYNC, QUERY -> false;
      default -> before;
    };
  }

  /** The same of messages that another node forwards. */
  static void checkForwardedHeader(byte type, int length) {
    check(type, length, type == PASS_STATE ? MAX_MESSAGE_BYTES : maxLength(type));
  }

  private static void check(byte type, int length, int max) {
    if (max == 0) {
      throw new GaussException(
          SqlState.PROTOCOL_VIOLATION, "invalid frontend message type " + (type & 0xFF));
    }
    if (length < LENGTH_BYTES || length > max) {
      throw new GaussException(SqlState.PROTOCOL_VIOLATION, "invalid message length");
    }
  }
}
