package io.gauss.storage.raft;

import java.io.ObjectInputFilter;
import java.util.Set;
import java.util.function.BinaryOperator;

/**
 * Limits what Ratis deserializes. It sends exceptions in Java's serialization, between members and
 * to clients, and would unpack any class of the class path from whoever reaches a port of Raft. Let
 * through are exceptions of the JDK and of Ratis, with their stack traces, causes and texts.
 *
 * <p>Streams of others, such as those of JMX, keep the filter of {@code jdk.serialFilter}, if there
 * is one.
 */
public final class RaftSerialFilter implements BinaryOperator<ObjectInputFilter> {
  private static final String RATIS = "org.apache.ratis.";
  private static final String JDK = "java.";
  private static final int MAX_DEPTH = 50;
  private static final int MAX_ARRAY = 10_000;
  private static final int MAX_OBJECTS = 50_000;
  private static final int MAX_BYTES = 4 << 20;

  /** The parts of exceptions. Not among them are hash tables: they run code of their keys. */
  private static final Set<String> PARTS =
      Set.of(
          "java.lang.StackTraceElement",
          "java.lang.String",
          "java.lang.Object", // of the array in a list
          "java.lang.Boolean",
          "java.lang.Number",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Enum",
          "java.util.ArrayList",
          "java.util.Collections$EmptyList",
          "java.util.Collections$UnmodifiableCollection",
          "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableRandomAccessList",
          "java.util.Collections$SynchronizedCollection",
          "java.util.Collections$SynchronizedList",
          "java.util.Collections$SynchronizedRandomAccessList");

  private RaftSerialFilter() {}

  /**
   * Applies to all of the process's streams from now on. To be called before anything is
   * deserialized; if {@code jdk.serialFilterFactory} names a factory, that one stays.
   */
  public static void install() {
    if (System.getProperty("jdk.serialFilterFactory") == null) {
      ObjectInputFilter.Config.setSerialFilterFactory(new RaftSerialFilter());
    }
  }

  /**
   * The filter of a stream that is opened, or that gets another filter.
   *
   * @param current of the stream; null when it is opened
   * @param next of the process, or the stream's new one
   */
  @Override
  public ObjectInputFilter apply(ObjectInputFilter current, ObjectInputFilter next) {
    if (current == null && isRatis()) {
      return ObjectInputFilter.merge(RaftSerialFilter::decide, next);
    }
    return next == null ? current : next;
  }

  private static boolean isRatis() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(RATIS)));
  }

  static ObjectInputFilter.Status decide(ObjectInputFilter.FilterInfo info) {
    if (info.depth() > MAX_DEPTH
        || info.arrayLength() > MAX_ARRAY
        || info.references() > MAX_OBJECTS
        || info.streamBytes() > MAX_BYTES) {
      return ObjectInputFilter.Status.REJECTED;
    }
    Class<?> type = info.serialClass();
    if (type == null) {
      return ObjectInputFilter.Status.UNDECIDED; // limits alone
    }
    while (type.isArray()) {
      type = type.componentType();
    }
    return isAllowed(type) ? ObjectInputFilter.Status.ALLOWED : ObjectInputFilter.Status.REJECTED;
  }

  private static boolean isAllowed(Class<?> type) {
    String name = type.getName();
    boolean isException =
        Throwable.class.isAssignableFrom(type) && (name.startsWith(JDK) || name.startsWith(RATIS));
    return type.isPrimitive() || isException || PARTS.contains(name);
  }
}
