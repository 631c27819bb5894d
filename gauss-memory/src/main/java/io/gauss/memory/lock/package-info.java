/** Locks of the whole cluster on tables and objects. */
package io.gauss.memory.lock;
