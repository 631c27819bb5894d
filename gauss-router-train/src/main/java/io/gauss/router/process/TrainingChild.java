package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.TrainingTask;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A process that trains. After a failure it is of no use any more, and has to be killed.
 *
 * <p>One thread at a time gives it tasks; any thread may kill it.
 */
final class TrainingChild {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** How long the end of a process that has closed its output is waited for. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int KILLED = 128 + 9;
  private static final int OUT_OF_MEMORY = 3;

  /** Frames that wait to be taken, at most: of the largest result, and one more. */
  private static final int MOST_FRAMES =
      TrainingLayout.MAX_WEIGHTS * Float.BYTES / TrainingLayout.MAX_BODY + 16;

  /**
   * How long a process may take, beside training, ms.
   *
   * @param start until it can train
   * @param answer to take a task and to give the result
   * @param stop to answer after it was told to stop
   */
  record Patience(long start, long answer, long stop) {}

  private final TrainingCommand command;
  private final Patience patience;
  private final Process process;
  private final OutputStream out;
  private final LastWords words;
  private final ArrayBlockingQueue<TrainingFrame> frames = new ArrayBlockingQueue<>(MOST_FRAMES);
  private final long startNanos = Environment.nanoTime();
  private volatile String rubbish; // what came that is no answer; null = nothing
  private volatile boolean hasEnded; // there will be no more frames
  private volatile Thread waiting;
  private boolean isReady;

  private TrainingChild(TrainingCommand command, Patience patience, Process process) {
    this.command = command;
    this.patience = patience;
    this.process = process;
    out = new BufferedOutputStream(process.getOutputStream(), 1 << 16);
    words = new LastWords(process.getErrorStream(), "gauss-training-err");
    InputStream in = new BufferedInputStream(process.getInputStream(), 1 << 16);
    Environment.start("gauss-training-out", () -> read(in));
  }

  /**
   * Starts a process, and does not wait until it can train.
   *
   * @throws IOException when it cannot be started
   */
  static TrainingChild start(TrainingCommand command, Patience patience) throws IOException {
    command.clean();
    return new TrainingChild(command, patience, command.builder().start());
  }

  private void read(InputStream in) {
    try {
      TrainingFrame frame = TrainingFrame.read(in);
      while (frame != null) {
        if (!frames.offer(frame)) {
          throw new BadFrameException("more frames than a result has");
        }
        LockSupport.unpark(waiting);
        frame = TrainingFrame.read(in);
      }
    } catch (BadFrameException e) {
      rubbish = e.getMessage();
    } catch (IOException e) {
      // It has ended, or was killed, in the middle of a frame.
    } finally {
      hasEnded = true;
      LockSupport.unpark(waiting);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Whether it may still answer. */
  boolean isAlive() {
    return !hasEnded;
  }

  /** Why it does not answer any more, although nothing was wanted from it. */
  ChildException whyEnded() {
    TrainingFrame first = frames.peek();
    return !isReady && first != null && first.type() == TrainingLayout.NO_ENGINE
        ? new ChildException(TrainingFailure.NO_ENGINE, first.reason())
        : ended();
  }

  /** Whether it can train at once. */
  boolean isReady() {
    TrainingFrame first = frames.peek();
    return isReady || first != null && first.type() == TrainingLayout.READY;
  }

  /** Ends it at once. */
  void kill() {
    process.destroyForcibly();
  }

  /**
   * Has it train.
   *
   * @param isEnough called several times a second; ends training when it returns true
   * @throws ChildException when it fails
   */
  TrainedNetwork train(TrainingTask task, BooleanSupplier isEnough) throws ChildException {
    waiting = Thread.currentThread();
    try {
      if (!isReady && !awaitReady(isEnough)) {
        return new TrainedNetwork(task.layers(), 0);
      }
      // A process that does not read would have the writer wait for ever.
      long most = task.millis() + patience.answer();
      // Before that of the timer, so that whoever is killed by it is late.
      long deadline = Environment.nanoTime() + TimeUnit.MILLISECONDS.toNanos(most);
      Future<?> end =
          Environment.after(most, TimeUnit.MILLISECONDS, "gauss-training-late", this::kill);
      try {
        send(task, deadline);
        return result(task, isEnough, deadline);
      } finally {
        end.cancel(false);
      }
    } finally {
      waiting = null;
    }
  }

  /** Whether it is ready; not when that is not wanted any more. */
  private boolean awaitReady(BooleanSupplier isEnough) throws ChildException {
    long deadline = startNanos + TimeUnit.MILLISECONDS.toNanos(patience.start());
    while (frames.isEmpty()) {
      if (isEnough.getAsBoolean()) {
        return false;
      }
      await(deadline, "did not start in " + patience.start() + " ms");
    }
    TrainingFrame frame = frames.remove();
    if (frame.type() == TrainingLayout.NO_ENGINE) {
      throw new ChildException(TrainingFailure.NO_ENGINE, frame.reason());
    }
    if (frame.type() != TrainingLayout.READY) {
      throw rubbish("a frame of type " + frame.type() + " before it was ready");
    }
    isReady = true;
    return true;
  }

  private void send(TrainingTask task, long deadline) throws ChildException {
    try {
      TrainingCodec.write(out, task);
    } catch (IOException e) {
      throw ended(deadline);
    } catch (IllegalArgumentException e) {
      throw new ChildException(TrainingFailure.FAILED, e.getMessage());
    }
  }

  private TrainedNetwork result(TrainingTask task, BooleanSupplier isEnough, long latest)
      throws ChildException {
    long deadline = latest;
    boolean isStopped = false;
    TrainingCodec.ResultReader reader = null;
    while (reader == null || !reader.isComplete()) {
      TrainingFrame frame = frames.poll();
      if (frame != null) {
        reader = add(frame, reader, task);
      } else {
        if (!isStopped && isEnough.getAsBoolean()) {
          isStopped = true;
          stop(deadline);
          // Whoever wants no more of it has something urgent to do.
          deadline =
              Math.min(
                  deadline,
                  Environment.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patience.stop()));
        }
        await(deadline, "did not answer in " + (task.millis() + patience.answer()) + " ms");
      }
    }
    return reader.result();
  }

  private TrainingCodec.ResultReader add(
      TrainingFrame frame, TrainingCodec.ResultReader reader, TrainingTask task)
      throws ChildException {
    if (frame.type() == TrainingLayout.FAILED) {
      throw new ChildException(TrainingFailure.FAILED, name() + " says: " + frame.reason());
    }
    try {
      if (reader == null && frame.type() == TrainingLayout.TRAINED) {
        return new TrainingCodec.ResultReader(frame, task);
      }
      if (reader == null) {
        throw rubbish("a frame of type " + frame.type() + " where a result should begin");
      }
      reader.add(frame);
      return reader;
    } catch (BadFrameException e) {
      throw rubbish(e.getMessage());
    }
  }

  private void stop(long deadline) throws ChildException {
    try {
      TrainingFrame.write(out, TrainingLayout.STOP, TrainingFrame.EMPTY.duplicate());
      out.flush();
    } catch (IOException e) {
      throw ended(deadline);
    }
  }

  /** Waits a little for the next frame. */
  private void await(long deadline, String late) throws ChildException {
    if (Environment.nanoTime() - deadline >= 0) {
      kill();
      throw new ChildException(
          TrainingFailure.LATE, name() + " " + late + " and was killed" + said());
    }
    if (Environment.await(this, LOOK_NANOS, () -> !frames.isEmpty() || hasEnded)) {
      if (frames.isEmpty()) {
        throw ended(deadline);
      }
    } else if (Thread.currentThread().isInterrupted()) {
      throw new ChildException(TrainingFailure.ENDED, "this thread was interrupted");
    }
  }

  private ChildException rubbish(String what) {
    kill();
    words.awaitEnd(END_NANOS);
    return new ChildException(
        TrainingFailure.RUBBISH, name() + " sent what is no answer: " + what + said());
  }

  /** It has ended, or closed its output; or was killed because its time is over. */
  private ChildException ended(long deadline) {
    return rubbish == null && Environment.nanoTime() - deadline >= 0
        ? new ChildException(
            TrainingFailure.LATE,
            name() + " did not take its task in time, and was killed" + said())
        : ended();
  }

  /** It has ended, or closed its output. */
  private ChildException ended() {
    if (rubbish != null) {
      return rubbish(rubbish);
    }
    String how = "has closed its output";
    if (hasExited()) {
      words.awaitEnd(END_NANOS);
      how = exit(process.exitValue());
    }
    return new ChildException(TrainingFailure.ENDED, name() + " " + how + said());
  }

  private boolean hasExited() {
    try {
      Environment.get(process.onExit(), END_NANOS, TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private String exit(int code) {
    if (code == OUT_OF_MEMORY) {
      return "has ended: its heap of " + command.heapMb() + " MB was not enough";
    }
    if (code == KILLED) {
      return "was killed by signal 9: by somebody, or by the system, which has no memory left"
          + " (dmesg tells)";
    }
    if (code > 128) {
      return "was ended by signal %d (the JVM writes about crashes to %s)"
          .formatted(code - 128, command.crashFile());
    }
    return "has ended with exit code " + code;
  }

  private String name() {
    return "the training process " + process.pid();
  }

  private String said() {
    String text = words.text();
    return text.isEmpty() ? "" : "; it said last: " + text;
  }
}
