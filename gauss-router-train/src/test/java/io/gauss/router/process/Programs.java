package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import io.gauss.router.network.NetworkTraining;
import io.gauss.router.network.PlainTraining;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Programs to run in place of {@link TrainingMain}: it without PyTorch, and what can go wrong. */
final class Programs {
  private Programs() {}

  private static void serve(String[] arguments, Supplier<NetworkTraining> training)
      throws IOException {
    new TrainingServer(
            new FileInputStream(FileDescriptor.in),
            TrainingMain.output(arguments),
            training,
            Runtime.getRuntime()::halt)
        .run();
  }

  /** Says that it is ready, and more. */
  private static OutputStream ready(String[] arguments, byte[] more) throws IOException {
    OutputStream out = TrainingMain.output(arguments);
    TrainingFrame.write(out, TrainingLayout.READY, TrainingFrame.EMPTY.duplicate());
    out.write(more);
    return out;
  }

  private static MethodHandle c(String function, FunctionDescriptor as) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(function), as);
  }

  /** Trains in plain Java. */
  static final class Plain {
    public static void main(String[] arguments) throws IOException {
      serve(arguments, () -> new PlainTraining(Environment::nanoTime));
    }
  }

  /** Has no PyTorch. */
  static final class NoEngine {
    public static void main(String[] arguments) throws IOException {
      serve(
          arguments,
          () -> {
            throw new NoClassDefFoundError("ai/djl/Model");
          });
    }
  }

  /** Needs more stack than there is. */
  static final class Deep {
    public static void main(String[] arguments) throws IOException {
      serve(
          arguments,
          () ->
              (task, isEnough) -> {
                throw new StackOverflowError();
              });
    }
  }

  /** Prints something else. */
  static final class Talks {
    public static void main(String[] arguments) throws IOException {
      System.err.println("as if that were nothing");
      ready(
          arguments, "[INFO] downloading a model of the weather".getBytes(StandardCharsets.UTF_8));
      System.in.readAllBytes();
    }
  }

  /** Ends in the middle of a frame. */
  static final class Breaks {
    public static void main(String[] arguments) throws IOException {
      System.out.println("no more");
      ready(arguments, new byte[] {'G', 'T', 'R', 1, 1});
    }
  }

  /** Answers what nobody has asked for, again and again. */
  static final class Floods {
    public static void main(String[] arguments) throws IOException {
      OutputStream out = ready(arguments, new byte[0]);
      while (true) {
        TrainingFrame.write(out, TrainingLayout.READY, TrainingFrame.EMPTY.duplicate());
      }
    }
  }

  /** Takes tasks and never answers. */
  static final class Hangs {
    public static void main(String[] arguments) throws IOException {
      ready(arguments, new byte[0]);
      System.in.readAllBytes();
    }
  }

  /** Takes no task. */
  static final class Deaf {
    public static void main(String[] arguments) throws Exception {
      ready(arguments, new byte[0]);
      TimeUnit.MINUTES.sleep(2);
    }
  }

  /** Does not even start. */
  static final class Slow {
    public static void main(String[] arguments) throws IOException {
      System.in.readAllBytes();
    }
  }

  /** Needs more heap than there is. */
  static final class Heap {
    public static void main(String[] arguments) throws IOException {
      serve(
          arguments,
          () ->
              (task, isEnough) -> {
                List<byte[]> all = new ArrayList<>();
                while (all.size() < Integer.MAX_VALUE) {
                  all.add(new byte[1 << 20]);
                }
                throw new IllegalStateException("heap without bound");
              });
    }
  }

  /** Takes memory from C until there is none, and says how much it was. */
  static final class Native {
    public static void main(String[] arguments) throws IOException {
      MethodHandle malloc =
          c("malloc", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
      MethodHandle free = c("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
      serve(
          arguments,
          () ->
              (task, isEnough) -> {
                int got = 0;
                try {
                  MemorySegment last = MemorySegment.NULL;
                  MemorySegment next = (MemorySegment) malloc.invokeExact(16L << 20);
                  while (next.address() != 0) {
                    got += 16;
                    last = next;
                    next = (MemorySegment) malloc.invokeExact(16L << 20);
                  }
                  free.invokeExact(last); // the JVM needs some to say so
                } catch (Throwable e) {
                  throw new IllegalStateException(e);
                }
                throw new IllegalStateException("got " + got + " MB");
              });
    }
  }

  /** A native library reads where nothing is. */
  static final class Crashes {
    public static void main(String[] arguments) throws IOException {
      MethodHandle strlen =
          c("strlen", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
      serve(
          arguments,
          () ->
              (task, isEnough) -> {
                try {
                  throw new IllegalStateException(
                      "a length of " + (long) strlen.invokeExact(MemorySegment.NULL));
                } catch (Throwable e) {
                  throw new IllegalStateException(e);
                }
              });
    }
  }
}
