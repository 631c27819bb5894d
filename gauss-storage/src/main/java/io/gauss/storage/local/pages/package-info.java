/**
 * A page store over RocksDB: records are kept by page, and folded when the page is read or memory
 * is needed. Begin with {@link io.gauss.storage.local.pages.LocalPageStore} and {@link
 * io.gauss.storage.local.pages.PageIndex}.
 */
package io.gauss.storage.local.pages;
