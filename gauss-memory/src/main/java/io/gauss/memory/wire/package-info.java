/** Messages about pages between compute nodes and memory nodes, and among compute nodes. */
package io.gauss.memory.wire;
