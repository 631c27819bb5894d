package io.gauss.compute.type;

/**
 * A quoted literal in a text, and the type of CREATE TYPE as which it is read.
 *
 * @param position where it starts in the text, from 1; 0 = it is not known where
 */
public record TypedLiteral(int position, PgType type) {}
