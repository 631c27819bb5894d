/**
 * The formats of all kinds of pages: a layout (offsets) and a view (named access) for each. Nothing
 * here changes a page by itself: redo does. Begin with {@link io.gauss.common.page.PageLayout} and
 * {@link io.gauss.common.page.TreePage}.
 */
package io.gauss.common.page;
