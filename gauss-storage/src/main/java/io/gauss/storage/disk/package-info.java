/**
 * A directory of files, as narrow as the log needs it, so that tests can lose power or fill the
 * disk. Begin with {@link io.gauss.storage.disk.Disk}.
 */
package io.gauss.storage.disk;
