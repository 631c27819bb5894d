/**
 * A redo stream in segment files: appends, recovery of the end after a crash, and followers of the
 * tail. Begin with {@link io.gauss.storage.local.log.LocalLogStream}.
 */
package io.gauss.storage.local.log;
