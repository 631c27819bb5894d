/**
 * Passwords: their stored form, and SCRAM-SHA-256 (RFC 5802, RFC 7677) on the server's side. Pure
 * functions and state machines; messages and threads are those of {@code pgwire}.
 */
package io.gauss.compute.auth;
