/** Pages' bytes in memory that other machines may read without asking (later, by RDMA). */
package io.gauss.memory.cache;
