package io.gauss.server;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * What others may do with the files that this process makes, and the processes that it starts:
 * nothing. Java has no interface for that, and permissions file by file would miss those that
 * libraries make.
 */
final class Umask {
  private static final int OTHERS = 0077;

  private Umask() {}

  /** From now on; where the system has no such call, the directories' permissions protect alone. */
  static void keepOthersOut() {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> umask = linker.defaultLookup().find("umask");
    if (umask.isEmpty()) {
      return;
    }
    try {
      int before =
          (int)
              linker
                  .downcallHandle(
                      umask.get(),
                      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                  .invokeExact(OTHERS);
      if (before < 0) {
        throw new IllegalStateException("umask was " + before);
      }
    } catch (Throwable e) {
      throw new IllegalStateException("umask cannot be called", e);
    }
  }
}
