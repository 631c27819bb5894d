/**
 * Memory outside the heap, by address, with a mode that checks every access. Begin with {@link
 * io.gauss.common.memory.Memory} and {@link io.gauss.common.memory.Slab}.
 */
package io.gauss.common.memory;
