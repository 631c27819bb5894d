/** A memory node as a process. */
package io.gauss.memory.node;
