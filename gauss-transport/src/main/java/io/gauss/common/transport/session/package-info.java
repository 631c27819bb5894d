/**
 * Exactly-once messages in order between two nodes (rule 14), over connections that break: {@link
 * io.gauss.common.transport.session.Session} sends, {@link
 * io.gauss.common.transport.session.SessionServer} receives. Two pure state machines decide when
 * messages are sent, and which ones are new: {@link io.gauss.common.transport.session.SendWindow}
 * and {@link io.gauss.common.transport.session.ReceiveState}.
 */
package io.gauss.common.transport.session;
