package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import io.gauss.router.network.TorchTraining;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The process that trains, as {@link TrainingCommand} starts it: tasks come by standard input, and
 * results leave by standard output. It ends when its input does, and so with the node that has
 * started it, however that has ended.
 */
public final class TrainingMain {
  /** The argument by which results leave by another descriptor than standard output. */
  static final String DESCRIPTOR_3 = "/dev/fd/3";

  private TrainingMain() {}

  public static void main(String[] arguments) throws IOException {
    new TrainingServer(
            new FileInputStream(FileDescriptor.in),
            output(arguments),
            () -> new TorchTraining(Environment::nanoTime),
            Runtime.getRuntime()::halt)
        .run();
  }

  /** Where frames go. What is printed goes elsewhere from now on. */
  static OutputStream output(String[] arguments) throws IOException {
    OutputStream out =
        arguments.length > 0
            ? new FileOutputStream(arguments[0])
            : new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    return out;
  }
}
