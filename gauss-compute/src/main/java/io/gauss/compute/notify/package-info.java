/**
 * LISTEN and NOTIFY over all compute nodes: how a transaction's notifications come to the nodes
 * that listen before it commits, and from there to sessions when it has (docs/protocols/notify.md).
 * Begin with {@link io.gauss.compute.notify.Notifications}.
 */
package io.gauss.compute.notify;
