package io.gauss.router.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.Layer;
import io.gauss.router.network.NetworkTraining;
import io.gauss.router.network.PlainTraining;
import io.gauss.router.network.Tasks;
import io.gauss.router.network.TorchTraining;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.Training;
import io.gauss.router.network.TrainingRows;
import io.gauss.router.network.TrainingTask;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Training in real processes, most of which go wrong. */
@Timeout(300)
class ProcessTrainingTest {
  private static final TrainingChild.Patience LONG =
      new TrainingChild.Patience(250_000, 250_000, 250_000);

  @TempDir private Path directory;

  private final List<ProcessTraining> all = new ArrayList<>();
  private final NetworkTraining plain = new PlainTraining(System::nanoTime);
  private long nanos;

  private TrainingCommand command(Class<?> program) {
    return TrainingCommand.in(directory).running(program.getName(), 64, TrainingCommand.DATA_MB);
  }

  private ProcessTraining training(TrainingCommand command, TrainingChild.Patience patience) {
    ProcessTraining training = new ProcessTraining(command, plain, patience, () -> nanos);
    all.add(training);
    return training;
  }

  private ProcessTraining training(Class<?> program) {
    return training(command(program), LONG);
  }

  @AfterEach
  void endAll() {
    all.forEach(ProcessTraining::close);
  }

  private static TrainedNetwork train(ProcessTraining training) {
    return training.train(Tasks.small(20), () -> false);
  }

  /** Fails to train, and says so. */
  private static String fails(ProcessTraining training, TrainingFailure how) {
    long before = training.failures(how);
    String message =
        assertThrows(TrainingException.class, () -> train(training), how::toString).getMessage();
    assertEquals(before + 1, training.failures(how), message);
    assertEquals(-1, training.pid(), message);
    return message;
  }

  private static void awaitEnd(long pid) {
    ProcessHandle.of(pid).ifPresent(handle -> handle.onExit().join());
  }

  private void assertTrained(TrainedNetwork expected, TrainedNetwork found) {
    assertEquals(expected.steps(), found.steps());
    for (int l = 0; l < expected.layers().size(); l++) {
      assertArrayEquals(expected.layers().get(l).weights(), found.layers().get(l).weights(), 1e-5f);
      assertArrayEquals(expected.layers().get(l).bias(), found.layers().get(l).bias(), 1e-5f);
    }
  }

  @Test
  void pyTorchTrainsThereAsItDoesHere() throws Exception {
    Path libraries = Path.of("target", "djl");
    ProcessTraining training = training(TrainingCommand.in(libraries), LONG);
    TrainedNetwork expected =
        new TorchTraining(System::nanoTime).train(Tasks.small(50), () -> false);
    assertTrained(expected, training.train(Tasks.small(50), () -> false));
    long pid = training.pid();
    assertTrained(expected, training.train(Tasks.small(50), () -> false));
    assertEquals(pid, training.pid(), "the process is kept");
    assertEquals(1, training.starts());
    assertEquals(2, training.trainedByPyTorch());
    assertEquals(0, training.trainedByJava());
    training.end();
    awaitEnd(pid);
  }

  /** Each half copy of PyTorch would take hundreds of MB for good. */
  @Test
  void whatAProcessHasNotUnpackedToItsEndIsDeleted() throws Exception {
    Path half = Files.createDirectories(directory.resolve("pytorch/tmp123/cpu"));
    Files.write(half.resolve("libtorch_cpu.so"), new byte[7]);
    Path whole = Files.createDirectories(directory.resolve("pytorch/2.7.1-cpu"));
    train(training(Programs.Plain.class));
    assertFalse(Files.exists(half.getParent()));
    assertTrue(Files.exists(whole));
  }

  @Test
  void aProcessThatIsKilledInARoundCostsThisRoundOnly() {
    ProcessTraining training = training(Programs.Plain.class);
    int[] looks = {0};
    TrainingException e =
        assertThrows(
            TrainingException.class,
            () ->
                training.train(
                    Tasks.small(Integer.MAX_VALUE),
                    () -> {
                      if (++looks[0] == 10) {
                        ProcessHandle.of(training.pid()).orElseThrow().destroyForcibly();
                      }
                      return false;
                    }));
    assertTrue(e.getMessage().contains("killed by signal 9"), e.getMessage());
    assertEquals(1, training.failures(TrainingFailure.ENDED));
    TrainedNetwork expected = plain.train(Tasks.small(20), () -> false);
    assertTrained(expected, train(training));
    assertEquals(1, training.trainedByJava(), "within the pause");
    nanos += ProcessTraining.PAUSE_NANOS;
    assertTrained(expected, train(training));
    assertEquals(1, training.trainedByPyTorch());
    assertEquals(2, training.starts());
  }

  @Test
  void aProcessThatEndsBetweenRoundsCostsNone() {
    ProcessTraining training = training(Programs.Plain.class);
    train(training);
    killAndPrepare(training);
    assertEquals(1, training.failures(TrainingFailure.ENDED));
    train(training);
    assertEquals(1, training.trainedByJava());
    nanos += ProcessTraining.PAUSE_NANOS;
    train(training);
    assertEquals(2, training.trainedByPyTorch());
    assertEquals(2, training.starts());
  }

  /** By a watchdog, or a system without memory: each after it has trained. */
  @Test
  void processesThatAreKilledAfterEachTaskAreGivenUp() {
    ProcessTraining training = training(Programs.Plain.class);
    for (int i = 1; i <= ProcessTraining.MOST_FAILURES; i++) {
      train(training);
      assertEquals(i, training.trainedByPyTorch());
      killAndPrepare(training);
      nanos += ProcessTraining.PAUSE_NANOS * i;
    }
    train(training);
    assertEquals(1, training.trainedByJava());
    assertEquals(ProcessTraining.MOST_FAILURES, training.starts());
  }

  @Test
  void aFailureNowAndThenIsForgiven() {
    ProcessTraining training = training(Programs.Plain.class);
    for (int i = 1; i <= ProcessTraining.MOST_FAILURES + 1; i++) {
      train(training);
      killAndPrepare(training);
      nanos += ProcessTraining.PAUSE_NANOS;
      train(training);
      nanos += ProcessTraining.WELL_NANOS;
    }
    assertEquals(0, training.trainedByJava());
  }

  /** As of nodes that seldom learn: nothing has been trained in between. */
  @Test
  void aFailureThatIsLongAgoIsForgotten() {
    ProcessTraining training = training(Programs.Breaks.class);
    for (int i = 1; i <= ProcessTraining.MOST_FAILURES; i++) {
      fails(training, TrainingFailure.ENDED);
      nanos += ProcessTraining.PAUSE_NANOS + ProcessTraining.WELL_NANOS;
    }
    fails(training, TrainingFailure.ENDED);
    nanos += ProcessTraining.PAUSE_NANOS;
    fails(training, TrainingFailure.ENDED);
    assertEquals(0, training.trainedByJava(), "none of them was the third of three");
    nanos += 2 * ProcessTraining.PAUSE_NANOS;
    fails(training, TrainingFailure.ENDED);
    nanos += ProcessTraining.LONG_PAUSE_NANOS - 1;
    train(training);
    assertEquals(1, training.trainedByJava(), "after three in a row it is given up");
    nanos += 1;
    fails(training, TrainingFailure.ENDED);
    nanos += ProcessTraining.PAUSE_NANOS;
    train(training);
    assertEquals(2, training.trainedByJava(), "the pause of an hour forgives nothing");
  }

  /** That would fail in each round; and PyTorch is not to blame. */
  @Test
  void whatIsTooLargeForAProcessIsTrainedHere() {
    ProcessTraining training = training(Programs.Plain.class);
    TrainingRows.Builder rows = new TrainingRows.Builder(5000, 1);
    rows.add(1, new float[5000], new float[] {1});
    List<Layer> layers = Training.random(new int[] {5000, 1000, 1}, 1);
    TrainingTask task = new TrainingTask(layers, rows.build(), 3, 600_000, 1, false);
    assertEquals(3, training.train(task, () -> false).steps());
    assertEquals(1, training.trainedByJava());
    assertEquals(0, training.failures(TrainingFailure.FAILED));
  }

  private static void killAndPrepare(ProcessTraining training) {
    ProcessHandle.of(training.pid()).orElseThrow().destroyForcibly();
    while (training.pid() >= 0) {
      training.prepare(); // until its end has been noticed
    }
  }

  /** A node has one prepared twice a second. */
  @Test
  void aProcessThatDiesBeforeItIsWantedIsNotStartedAgainAndAgain() {
    ProcessTraining training = training(Programs.Slow.class);
    training.prepare();
    for (int i = 1; i < ProcessTraining.MOST_FAILURES; i++) {
      killAndPrepare(training);
      training.prepare();
      assertEquals(i, training.starts());
      nanos += ProcessTraining.PAUSE_NANOS * i;
      training.prepare();
      assertEquals(i + 1, training.starts());
    }
    killAndPrepare(training);
    nanos += ProcessTraining.LONG_PAUSE_NANOS - 1;
    training.prepare();
    assertEquals(ProcessTraining.MOST_FAILURES, training.starts());
  }

  @Test
  void aMissingPyTorchIsNoticedBeforeItIsWanted() {
    ProcessTraining training = training(Programs.NoEngine.class);
    training.prepare();
    while (training.pid() >= 0) {
      training.prepare();
    }
    assertEquals(1, training.failures(TrainingFailure.NO_ENGINE));
    train(training);
    assertEquals(1, training.trainedByJava());
    assertEquals(1, training.starts());
  }

  @Test
  void afterSeveralFailuresPlainJavaTrainsForAnHour() {
    ProcessTraining training = training(Programs.Breaks.class);
    for (int round = 1; round <= ProcessTraining.MOST_FAILURES; round++) {
      String message = fails(training, TrainingFailure.ENDED);
      assertTrue(message.contains("exit code 0; it said last: no more"), message);
      train(training);
      assertEquals(round, training.trainedByJava(), "within the pause");
      nanos += ProcessTraining.PAUSE_NANOS * round;
    }
    nanos += ProcessTraining.LONG_PAUSE_NANOS / 2;
    train(training);
    assertEquals(ProcessTraining.MOST_FAILURES, training.starts());
    nanos += ProcessTraining.LONG_PAUSE_NANOS / 2;
    fails(training, TrainingFailure.ENDED);
    train(training);
    assertEquals(ProcessTraining.MOST_FAILURES + 1, training.starts());
  }

  @Test
  void wherePyTorchIsMissingPlainJavaTrainsAtOnce() {
    ProcessTraining training = training(Programs.NoEngine.class);
    TrainedNetwork expected = plain.train(Tasks.small(20), () -> false);
    for (int round = 1; round <= 3; round++) {
      assertTrained(expected, train(training));
      assertEquals(round, training.trainedByJava());
      nanos += TimeUnit.MINUTES.toNanos(5);
    }
    assertEquals(1, training.starts());
    assertEquals(1, training.failures(TrainingFailure.NO_ENGINE));
  }

  @Test
  void whatIsNoAnswerIsRefused() {
    String message = fails(training(Programs.Talks.class), TrainingFailure.RUBBISH);
    assertTrue(message.contains("where a frame should begin"), message);
    assertTrue(message.contains("as if that were nothing"), message);
    fails(training(Programs.Floods.class), TrainingFailure.RUBBISH);
  }

  @Test
  void aProcessThatDoesNotAnswerIsKilled() {
    TrainingChild.Patience little = new TrainingChild.Patience(250_000, 1, 1);
    TrainingTask task = Tasks.of(10, 20, 300, false);
    ProcessTraining training = training(command(Programs.Hangs.class), little);
    training.prepare();
    long pid = training.pid();
    assertThrows(TrainingException.class, () -> training.train(task, () -> false));
    assertEquals(1, training.failures(TrainingFailure.LATE));
    awaitEnd(pid);
  }

  /** The task is larger than a pipe holds. */
  @Test
  void aProcessThatTakesNoTaskIsKilled() {
    TrainingChild.Patience little = new TrainingChild.Patience(250_000, 1, 1);
    TrainingTask task = Tasks.of(20_000, 20, 300, false);
    ProcessTraining training = training(command(Programs.Deaf.class), little);
    training.prepare();
    long pid = training.pid();
    assertThrows(TrainingException.class, () -> training.train(task, () -> false));
    assertEquals(1, training.failures(TrainingFailure.LATE));
    awaitEnd(pid);
  }

  @Test
  void aProcessThatDoesNotStartIsKilled() {
    ProcessTraining training =
        training(command(Programs.Slow.class), new TrainingChild.Patience(300, 250_000, 250_000));
    training.prepare();
    long pid = training.pid();
    String message = fails(training, TrainingFailure.LATE);
    assertTrue(message.contains("did not start"), message);
    awaitEnd(pid);
  }

  @Test
  void whereNoProcessCanBeStartedPlainJavaTrains() {
    TrainingCommand command = command(Programs.Plain.class).directlyBy(directory);
    ProcessTraining training = training(command, LONG);
    train(training);
    assertEquals(1, training.trainedByJava());
    assertEquals(1, training.failures(TrainingFailure.START));
    fails(
        training(TrainingCommand.in(directory).running("no.such.Program", 64, 768), LONG),
        TrainingFailure.ENDED);
  }

  @Test
  void aProcessIsStartedWithoutAShellToo() {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessTraining training = training(command(Programs.Plain.class).directlyBy(java), LONG);
    train(training);
    assertEquals(1, training.trainedByPyTorch());
  }

  @Test
  void anErrorThereIsAFailureHere() {
    ProcessTraining training = training(Programs.Deep.class);
    training.prepare();
    long pid = training.pid();
    String message = fails(training, TrainingFailure.FAILED);
    assertTrue(message.contains("StackOverflowError"), message);
    awaitEnd(pid);
  }

  @Test
  void itsHeapIsBounded() {
    String message = fails(training(Programs.Heap.class), TrainingFailure.ENDED);
    assertTrue(message.contains("its heap of 64 MB was not enough"), message);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void itsOtherMemoryIsBounded() {
    TrainingCommand command =
        TrainingCommand.in(directory).running(Programs.Native.class.getName(), 32, 400);
    String message = fails(training(command, LONG), TrainingFailure.FAILED);
    int got = Integer.parseInt(message.replaceAll("(?s).*got (\\d+) MB.*", "$1"));
    assertTrue(got > 50 && got < 400, message);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aCrashOfNativeCodeIsToldWithItsReport() throws Exception {
    String message = fails(training(Programs.Crashes.class), TrainingFailure.ENDED);
    assertTrue(message.contains("hs_err_training.log"), message);
    assertTrue(message.contains("fatal error"), message);
    try (var files = Files.list(directory)) {
      assertEquals(
          List.of("hs_err_training.log"),
          files.map(file -> file.getFileName().toString()).toList(),
          "and no dump of its memory");
    }
  }

  /** Field 19 of proc(5), counted after the command name. */
  private static int nice(Path proc) throws IOException {
    String stat = Files.readString(proc.resolve("stat"));
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16]);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void itGivesWayToOthersAndHasNothingOfTheirEnvironment() throws Exception {
    ProcessTraining training = training(Programs.Plain.class);
    train(training);
    Path proc = Path.of("/proc", Long.toString(training.pid()));
    assertEquals(Math.min(19, nice(Path.of("/proc/self")) + 5), nice(proc));
    assertEquals("1000", Files.readString(proc.resolve("oom_score_adj")).strip());
    String environment = Files.readString(proc.resolve("environ"));
    assertTrue(environment.contains("OMP_NUM_THREADS=1"), environment);
    assertFalse(environment.contains("HOME="), environment);
  }

  @Test
  void theProcessEndsWithItsParentHoweverThatEnds() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            Parent.class.getName(),
            directory.toString());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process parent = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader out = parent.inputReader()) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(out.readLine())).orElseThrow();
      assertTrue(child.isAlive());
      parent.destroyForcibly();
      child.onExit().join();
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void trainingEndsWhenItIsEnoughAndWhatWasTrainedCounts() {
    ProcessTraining training = training(Programs.Plain.class);
    int[] looks = {0};
    TrainedNetwork trained = training.train(Tasks.small(Integer.MAX_VALUE), () -> ++looks[0] > 30);
    assertTrained(plain.train(Tasks.small(trained.steps()), () -> false), trained);
    train(training);
    assertEquals(1, training.starts());
  }

  @Test
  void noRoundWaitsForAProcessThatIsNotWantedAnyMore() {
    ProcessTraining training = training(Programs.Slow.class);
    TrainingTask task = Tasks.small(20);
    assertEquals(0, training.train(task, () -> true).steps());
    assertEquals(0, training.failures(TrainingFailure.LATE));
  }

  @Test
  void whatIsUrgentDoesNotWaitForAProcess() {
    ProcessTraining training = training(Programs.Slow.class);
    assertEquals(20, training.train(Tasks.of(10, 20, 300, true), () -> false).steps());
    assertEquals(1, training.trainedByJava());
    assertEquals(1, training.starts(), "for the next one");
  }

  @Test
  void aProcessThatIsNotWantedIsEnded() {
    ProcessTraining training = training(Programs.Plain.class);
    train(training);
    long pid = training.pid();
    nanos += ProcessTraining.IDLE_NANOS;
    training.endIfIdle();
    assertEquals(pid, training.pid());
    nanos++;
    training.endIfIdle();
    assertEquals(-1, training.pid());
    awaitEnd(pid);
    train(training);
    assertEquals(2, training.starts());
    assertEquals(0, training.failures(TrainingFailure.ENDED));
  }

  @Test
  void closingEndsARoundWithoutAFailure() {
    ProcessTraining training = training(Programs.Plain.class);
    int[] looks = {0};
    assertThrows(
        TrainingException.class,
        () ->
            training.train(
                Tasks.small(Integer.MAX_VALUE),
                () -> {
                  if (++looks[0] == 20) {
                    training.close();
                  }
                  return false;
                }));
    assertEquals(0, training.failures(TrainingFailure.ENDED));
    train(training);
    assertEquals(1, training.trainedByJava(), "no other process is started");
    assertEquals(1, training.starts());
  }
}
