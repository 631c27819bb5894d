/**
 * Identities and the clock: LSNs, pages and transactions, each in one {@code long}. Begin with
 * {@link io.gauss.common.id.LamportClock}, {@link io.gauss.common.id.PageId} and {@link
 * io.gauss.common.id.Xid}.
 */
package io.gauss.common.id;
