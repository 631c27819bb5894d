/**
 * The other compute nodes as this one reaches them: by slot, with questions and with messages that
 * arrive once and in order, and who answers for a slot whose node is dead. Knows nothing of what is
 * said.
 */
package io.gauss.compute.peer;
