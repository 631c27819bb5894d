/**
 * What the driver learns from a statement's text, by one look over it: where statements end, which
 * of them begin or end a transaction, and what they leave behind in the session. Begin with {@link
 * io.gauss.jdbc.text.StatementText}.
 */
package io.gauss.jdbc.text;
