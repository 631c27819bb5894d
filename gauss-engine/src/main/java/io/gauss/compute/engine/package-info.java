/**
 * The page engine as a whole (clock, log, buffer pool, spaces) over a storage tier, with its
 * checks, health and metrics. It knows nothing of transactions. Begin with {@link
 * io.gauss.compute.engine.Engine}.
 */
package io.gauss.compute.engine;
