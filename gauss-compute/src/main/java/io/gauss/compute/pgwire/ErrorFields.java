package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.session.message.MessageReader;

/** The fields of an ErrorResponse that another node has sent. */
final class ErrorFields {
  private String severity = "";
  private String code = "";
  private String message = "";
  private String detail;

  ErrorFields(MessageReader reader) {
    for (int field = reader.readByte(); field != 0; field = reader.readByte()) {
      String value = reader.readCString();
      switch (field) {
        case 'V' -> severity = value;
        case 'C' -> code = value;
        case 'M' -> message = value;
        case 'D' -> detail = value;
        default -> {
          // Belongs to the text.
        }
      }
    }
  }

  boolean isFatal() {
    return severity.equals("FATAL");
  }

  /** The error if it ends the session; else null. */
  GaussException fatal() {
    return isFatal() ? error() : null;
  }

  GaussException error() {
    SqlState state = SqlState.CONNECTION_FAILURE;
    for (SqlState known : SqlState.values()) {
      if (known.code().equals(code)) {
        state = known;
      }
    }
    return new GaussException(state, message).detail(detail);
  }
}
