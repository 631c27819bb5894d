package io.gauss.compute.sql.parse;

import io.gauss.compute.sql.parse.impl.Token;

/** A token of the generated parser that knows which token of the {@link PgLexer} it is. */
final class PgToken extends Token {
  final int index;

  /** Index of the next one; an operator with its schema is several. */
  final int endIndex;

  PgToken(int kind, String image, int index, int endIndex, int start, int end) {
    this.kind = kind;
    this.image = image;
    this.index = index;
    this.endIndex = endIndex;
    // Calcite's positions are lines and columns; we keep everything on line 1 and the column is the
    // offset from 1.
    this.beginLine = 1;
    this.endLine = 1;
    this.beginColumn = start + 1;
    this.endColumn = Math.max(end, start + 1);
  }
}
