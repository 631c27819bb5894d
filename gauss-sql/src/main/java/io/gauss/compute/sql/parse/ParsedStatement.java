package io.gauss.compute.sql.parse;

/**
 * A statement with its text.
 *
 * @param text the statement alone, without the semicolon and blanks around it
 * @param offset where {@code text} starts in the string that was parsed; positions in the tree
 *     count from the start of that string
 * @param parameters highest number of a {@code $n}
 */
public record ParsedStatement(PgStatement statement, String text, int offset, int parameters) {}
