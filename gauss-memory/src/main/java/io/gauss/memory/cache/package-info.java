/** Page bytes in memory that other machines may read without a request (later, by RDMA). */
package io.gauss.memory.cache;
