/** Which bucket a page belongs to, and the event loops that serve buckets. */
package io.gauss.memory.bucket;
