package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * Reads JSON texts by recursive descent: the language and the errors are those of PostgreSQL's
 * pg_parse_json. Texts nested more deeply than {@link #DEPTH_MAX} are refused. Stateless.
 */
public final class JsonParser {
  /**
   * Nesting of arrays and objects. What walks through values calls itself for each level, on
   * threads whose stacks are small.
   */
  public static final int DEPTH_MAX = 1000;

  private static final JsonHandler NOTHING = new JsonHandler() {};

  private final JsonScanner scanner;
  private final JsonHandler handler;

  private JsonParser(JsonScanner scanner, JsonHandler handler) {
    this.scanner = scanner;
    this.handler = handler;
  }

  /**
   * Checks a text; what escapes in strings stand for does not matter.
   *
   * @throws GaussException 22P02, 54001
   */
  static void check(byte[] from, int offset, int length) {
    parse(from, offset, length, false, NOTHING);
  }

  /**
   * Reports what is in a text.
   *
   * @param decodes whether escapes in strings are replaced by what they stand for
   * @throws GaussException 22P02, 54001; 22P05 for an escape that stands for no text
   */
  public static void parse(
      byte[] from, int offset, int length, boolean decodes, JsonHandler handler) {
    JsonScanner scanner = new JsonScanner(from, offset, length, decodes);
    scanner.next();
    new JsonParser(scanner, handler).value(from, 0);
    if (scanner.token() != JsonToken.END) {
      throw scanner.unexpected("Expected end of input");
    }
  }

  /** The first token of a text, which is valid JSON. */
  public static JsonToken first(byte[] from, int offset, int length) {
    JsonScanner scanner = new JsonScanner(from, offset, length, false);
    scanner.next();
    return scanner.token();
  }

  static GaussException tooDeep() {
    return new GaussException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
        .detail("JSON is nested more deeply than %d levels.".formatted(DEPTH_MAX));
  }

  private void value(byte[] from, int depth) {
    JsonToken token = scanner.token();
    switch (token) {
      case OBJECT_START -> {
        handler.start(scanner.start(), token);
        object(from, depth + 1);
      }
      case ARRAY_START -> {
        handler.start(scanner.start(), token);
        array(from, depth + 1);
      }
      case STRING, NUMBER, TRUE, FALSE, NULL -> {
        handler.start(scanner.start(), token);
        scalar(from, token);
      }
      default -> throw scanner.unexpected("Expected JSON value");
    }
    handler.end(scanner.afterPrevious());
  }

  private void scalar(byte[] from, JsonToken token) {
    ByteSink decoded = token == JsonToken.STRING ? scanner.decoded() : null;
    int quotes = token == JsonToken.STRING ? 1 : 0;
    int first = scanner.start() + quotes;
    int length = decoded != null ? decoded.length : scanner.after() - quotes - first;
    // As in PostgreSQL, what is wrong with the next token comes before what is wrong with the
    // value.
    // Another string in the sink would be such a token.
    scanner.next();
    if (decoded != null) {
      handler.scalar(token, decoded.array, 0, length);
    } else {
      handler.scalar(token, from, first, length);
    }
  }

  private void object(byte[] from, int depth) {
    if (depth > DEPTH_MAX) {
      throw tooDeep();
    }
    handler.objectStart();
    scanner.next();
    if (scanner.token() == JsonToken.STRING) {
      field(from, depth);
      while (scanner.token() == JsonToken.COMMA) {
        scanner.next();
        if (scanner.token() != JsonToken.STRING) {
          throw scanner.unexpected("Expected string");
        }
        field(from, depth);
      }
    } else if (scanner.token() != JsonToken.OBJECT_END) {
      throw scanner.unexpected("Expected string or \"}\"");
    }
    if (scanner.token() != JsonToken.OBJECT_END) {
      throw scanner.unexpected("Expected \",\" or \"}\"");
    }
    scanner.next();
    handler.objectEnd();
  }

  private void field(byte[] from, int depth) {
    ByteSink decoded = scanner.decoded();
    if (decoded != null) {
      handler.name(decoded.array, 0, decoded.length);
    } else {
      handler.name(from, scanner.start() + 1, scanner.after() - scanner.start() - 2);
    }
    scanner.next();
    if (scanner.token() != JsonToken.COLON) {
      throw scanner.unexpected("Expected \":\"");
    }
    scanner.next();
    value(from, depth);
  }

  private void array(byte[] from, int depth) {
    if (depth > DEPTH_MAX) {
      throw tooDeep();
    }
    handler.arrayStart();
    scanner.next();
    if (scanner.token() != JsonToken.ARRAY_END) {
      value(from, depth);
      while (scanner.token() == JsonToken.COMMA) {
        scanner.next();
        value(from, depth);
      }
    }
    if (scanner.token() != JsonToken.ARRAY_END) {
      throw scanner.unexpected("Expected \",\" or \"]\"");
    }
    scanner.next();
    handler.arrayEnd();
  }
}
