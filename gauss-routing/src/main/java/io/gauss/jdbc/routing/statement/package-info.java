/**
 * Derives from a statement's text which rows it touches: its template (the text without its
 * values), the columns that it compares with values, and those values. It reads tokens and is not
 * an SQL parser: text that it does not understand gives no predicates. Wrong ones would do no harm,
 * since a wrong route is only slower.
 *
 * <p>Drivers, compute nodes and the trainer use the same classes, so that a statement has the same
 * template everywhere. Start reading at {@link io.gauss.jdbc.routing.statement.StatementReader}.
 */
package io.gauss.jdbc.routing.statement;
