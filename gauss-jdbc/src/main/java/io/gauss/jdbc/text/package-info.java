/**
 * Scans a statement's text once for the driver: where statements end, which of them begin or end a
 * transaction, and what they leave behind in the session. Begin with {@link
 * io.gauss.jdbc.text.StatementText}.
 */
package io.gauss.jdbc.text;
