/**
 * The storage tier of a single process: one stream and one page store. Begin with {@link
 * io.gauss.storage.local.LocalStorage}.
 */
package io.gauss.storage.local;
