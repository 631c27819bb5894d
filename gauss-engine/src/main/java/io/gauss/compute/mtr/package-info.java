/**
 * Mini-transactions: redo records against latched pages, applied and logged together or not at all;
 * and the context that every operation of the engine carries. Begin with {@link
 * io.gauss.compute.mtr.Mtr} and {@link io.gauss.compute.mtr.EngineContext}.
 */
package io.gauss.compute.mtr;
