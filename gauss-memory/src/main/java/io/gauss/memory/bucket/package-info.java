/** The event loops that serve buckets, and what a bucket knows of its pages' floors. */
package io.gauss.memory.bucket;
