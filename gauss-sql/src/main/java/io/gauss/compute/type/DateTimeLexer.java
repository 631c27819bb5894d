package io.gauss.compute.type;

import java.util.ArrayList;
import java.util.List;

/** Cuts date and time input into fields; PostgreSQL's ParseDateTime. */
final class DateTimeLexer {
  /** The form of a field. */
  enum Kind {
    NUMBER,
    DATE,
    TIME,
    ZONE,
    STRING,
    SPECIAL
  }

  /** A field in lower case. */
  record Field(Kind kind, String text) {}

  /** As in PostgreSQL, whose buffer is that long; longer input is no date, time or interval. */
  private static final int MOST_FIELDS = 25;

  private static final int MOST_CHARACTERS = 256;

  private final String text;
  private int p;
  private int characters;
  private final StringBuilder field = new StringBuilder();

  private DateTimeLexer(String text) {
    this.text = text;
  }

  /** The fields, or null when part of the text cannot be a field. */
  static List<Field> fields(String text) {
    return new DateTimeLexer(text).run();
  }

  private int peek() {
    return p < text.length() ? text.charAt(p) : 0;
  }

  private void take() {
    field.append((char) Ascii.toLower(text.charAt(p++)));
  }

  private void takeDigits() {
    while (Ascii.isDigit(peek())) {
      take();
    }
  }

  private List<Field> run() {
    List<Field> fields = new ArrayList<>();
    while (p < text.length()) {
      int c = peek();
      if (Ascii.isSpace(c)) {
        p++;
        continue;
      }
      field.setLength(0);
      Kind kind;
      if (Ascii.isDigit(c)) {
        kind = number();
      } else if (c == '.') {
        take();
        takeDigits();
        kind = Kind.NUMBER;
      } else if (Ascii.isLetter(c)) {
        kind = word();
      } else if (c == '+' || c == '-') {
        kind = signed();
        if (kind == null) {
          return null;
        }
      } else if (c > ' ' && c < 127) {
        // Other punctuation separates.
        p++;
        continue;
      } else {
        return null;
      }
      characters += field.length() + 1;
      if (characters > MOST_CHARACTERS || fields.size() == MOST_FIELDS) {
        return null;
      }
      fields.add(new Field(kind, field.toString()));
    }
    return fields;
  }

  private Kind number() {
    takeDigits();
    int c = peek();
    if (c == ':') {
      take();
      while (Ascii.isDigit(peek()) || peek() == ':' || peek() == '.') {
        take();
      }
      return Kind.TIME;
    }
    if (c != '-' && c != '/' && c != '.') {
      return Kind.NUMBER;
    }
    int delimiter = c;
    take();
    if (Ascii.isDigit(peek())) {
      Kind kind = delimiter == '.' ? Kind.NUMBER : Kind.DATE;
      takeDigits();
      if (peek() == delimiter) {
        kind = Kind.DATE;
        take();
        while (Ascii.isDigit(peek()) || peek() == delimiter) {
          take();
        }
      }
      return kind;
    }
    while (Ascii.isDigit(peek()) || Ascii.isLetter(peek()) || peek() == delimiter) {
      take();
    }
    return Kind.DATE;
  }

  private Kind word() {
    while (Ascii.isLetter(peek())) {
      take();
    }
    int c = peek();
    boolean date = c == '-' || c == '/' || c == '.';
    if (c == '+' || Ascii.isDigit(c)) {
      date = !DateTimeWords.isCore(field.toString());
    }
    if (!date) {
      return Kind.STRING;
    }
    do {
      take();
      c = peek();
    } while (c == '+'
        || c == '-'
        || c == '/'
        || c == '_'
        || c == '.'
        || c == ':'
        || Ascii.isDigit(c)
        || Ascii.isLetter(c));
    return Kind.DATE;
  }

  private Kind signed() {
    take();
    while (Ascii.isSpace(peek())) {
      p++;
    }
    if (Ascii.isDigit(peek())) {
      while (Ascii.isDigit(peek()) || peek() == ':' || peek() == '.' || peek() == '-') {
        take();
      }
      return Kind.ZONE;
    }
    if (Ascii.isLetter(peek())) {
      while (Ascii.isLetter(peek())) {
        take();
      }
      return Kind.SPECIAL;
    }
    return null;
  }
}
