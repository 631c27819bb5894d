/**
 * A directory of files, with only the operations that the log needs, so that tests can simulate
 * power loss or a full disk. Begin with {@link io.gauss.storage.disk.Disk}.
 */
package io.gauss.storage.disk;
