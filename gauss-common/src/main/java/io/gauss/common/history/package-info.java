/**
 * What clients do to a cluster that is being tested, and what came of it: the histories of runs in
 * which things go wrong, and the checker that tells what an isolation level forbids in them.
 */
package io.gauss.common.history;
