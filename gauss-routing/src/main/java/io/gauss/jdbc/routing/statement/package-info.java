/**
 * What a statement's text tells about the rows that it touches: its template (the text without its
 * values), the columns that it compares with values, and those values. A reader of tokens, no SQL
 * parser: what it does not understand gives no predicates, never wrong ones that matter, since a
 * wrong route is slower and nothing worse.
 *
 * <p>Drivers, compute nodes and the trainer use the same classes, so that a statement has the same
 * template everywhere. Start reading at {@link io.gauss.jdbc.routing.statement.StatementReader}.
 */
package io.gauss.jdbc.routing.statement;
