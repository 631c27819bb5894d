/**
 * Undo: segments with their transaction tables, undo records and how they are applied, and the
 * purge horizon. Begin with {@link io.gauss.compute.txn.undo.UndoSegments} and {@link
 * io.gauss.compute.txn.undo.PurgeHorizon}.
 */
package io.gauss.compute.txn.undo;
