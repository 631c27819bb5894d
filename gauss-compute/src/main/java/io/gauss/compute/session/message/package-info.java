/**
 * Between a session and the wire protocol: fields of a client's messages, and a session's answers.
 * Begin with {@link io.gauss.compute.session.message.ResponseWriter}.
 */
package io.gauss.compute.session.message;
