/**
 * The other compute nodes as this one reaches them: by slot, with questions and with messages that
 * arrive once and in order, and which node answers for a slot whose node is dead. Does not know the
 * content of messages.
 */
package io.gauss.compute.peer;
