/**
 * Exactly-once messages in order between two nodes (rule 14), over connections that break: {@link
 * io.gauss.common.transport.session.Session} sends, {@link
 * io.gauss.common.transport.session.SessionServer} receives. What is sent when, and what counts as
 * new, is decided by two pure state machines, {@link io.gauss.common.transport.session.SendWindow}
 * and {@link io.gauss.common.transport.session.ReceiveState}.
 */
package io.gauss.common.transport.session;
