package io.gauss.jdbc.routing.statement;

/**
 * A piece of a statement's text.
 *
 * @param kind what it is
 * @param text normalised: names and keywords in lower case, {@code ?} for values
 * @param value a literal's Long, Double or String; null otherwise
 * @param parameter position of the parameter, from 0; -1 for others
 */
record Token(Kind kind, String text, Object value, int parameter) {
  enum Kind {
    WORD,
    VALUE,
    SYMBOL
  }

  static Token word(String text) {
    return new Token(Kind.WORD, text, null, -1);
  }

  static Token symbol(String text) {
    return new Token(Kind.SYMBOL, text, null, -1);
  }

  static Token literal(Object value) {
    return new Token(Kind.VALUE, "?", value, -1);
  }

  static Token parameter(int position) {
    return new Token(Kind.VALUE, "?", null, position);
  }

  boolean is(String other) {
    return kind != Kind.VALUE && text.equals(other);
  }

  boolean isValue() {
    return kind == Kind.VALUE;
  }

  boolean isWord() {
    return kind == Kind.WORD;
  }

  Operand operand() {
    return new Operand(parameter, value);
  }
}
