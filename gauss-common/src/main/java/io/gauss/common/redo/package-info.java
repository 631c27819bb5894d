/**
 * Redo records and the one function that applies them to pages, in the buffer pool, in recovery and
 * in page stores. Begin with {@link io.gauss.common.redo.RedoApply} and {@link
 * io.gauss.common.redo.RedoType}.
 */
package io.gauss.common.redo;
