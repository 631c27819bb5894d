package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import io.gauss.router.network.PlainTraining;
import io.gauss.router.network.Tasks;
import java.nio.file.Path;

/** A process that has another one train for it, for a test that kills it. */
final class Parent {
  private Parent() {}

  /** Prints the id of the process that trains when that is in the middle of it. */
  public static void main(String[] arguments) {
    TrainingCommand command =
        TrainingCommand.in(Path.of(arguments[0])).running(Programs.Plain.class.getName(), 64, 768);
    try (ProcessTraining training =
        new ProcessTraining(command, new PlainTraining(Environment::nanoTime))) {
      int[] looks = {0};
      training.train(
          Tasks.small(Integer.MAX_VALUE),
          () -> {
            if (++looks[0] == 20) {
              System.out.println(training.pid());
            }
            return false;
          });
    }
  }
}
