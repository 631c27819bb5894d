package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import io.gauss.router.network.NetworkTraining;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.TrainingTask;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains by PyTorch in a process of its own, which is kept from round to round while there is
 * something to learn. A process that crashes, is killed, does not answer, or answers rubbish costs
 * a round, or none if that happens between rounds. The next one is started after a pause; until
 * then, and for an hour after {@value #MOST_FAILURES} failures, none of which is ten minutes after
 * the one before, or where there is no PyTorch, tasks are done in plain Java in this process. That
 * a process has trained in between makes no difference: something may kill each one soon.
 *
 * <p>One thread at a time trains; any thread may close it and read counts.
 */
public final class ProcessTraining implements NetworkTraining, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessTraining.class);

  private static final TrainingChild.Patience PATIENCE =
      new TrainingChild.Patience(90_000, 30_000, 3_000);

  /** Failures that follow each other soon after which PyTorch is not tried again for long. */
  static final int MOST_FAILURES = 3;

  /** Pause after the first failure; twice as long after the second. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  static final long LONG_PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

  /**
   * Training after so long without a failure shows that all is well again. A failure after so long,
   * pauses apart, is the first one.
   */
  static final long WELL_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** A process that nothing was wanted from for so long is ended. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final TrainingCommand command;
  private final TrainingChild.Patience patience;
  private final NetworkTraining plain;
  private final LongSupplier nanoClock;
  private final LongAdder starts = new LongAdder();
  private final LongAdder trainedByPyTorch = new LongAdder();
  private final LongAdder trainedByJava = new LongAdder();
  private final Map<TrainingFailure, LongAdder> failures = new EnumMap<>(TrainingFailure.class);
  private volatile TrainingChild child; // null = none
  private volatile boolean isClosed;
  private int inARow; // failures, each soon after the one before
  private boolean isTold; // that there is no PyTorch for now
  private long notBeforeNanos; // with failures
  private long failedNanos; // time of the last one
  private long usedNanos;

  /**
   * @param command that starts the process
   * @param plain trains where there is no PyTorch
   */
  public ProcessTraining(TrainingCommand command, NetworkTraining plain) {
    this(command, plain, PATIENCE, Environment::nanoTime);
  }

  ProcessTraining(
      TrainingCommand command,
      NetworkTraining plain,
      TrainingChild.Patience patience,
      LongSupplier nanoClock) {
    this.command = command;
    this.plain = plain;
    this.patience = patience;
    this.nanoClock = nanoClock;
    for (TrainingFailure failure : TrainingFailure.values()) {
      failures.put(failure, new LongAdder());
    }
  }

  /**
   * Has a process ready for the next task, as far as one may be started now: starting one takes
   * seconds on a busy machine. Does not wait.
   */
  public void prepare() {
    usedNanos = nanoClock.getAsLong();
    TrainingChild now = child;
    if (now != null && !now.isAlive()) {
      ChildException why = now.whyEnded();
      end();
      if (!isClosed) {
        failed(why.failure(), why.getMessage());
      }
    }
    if (child == null && mayStart()) {
      try {
        start();
      } catch (IOException e) {
        failed(TrainingFailure.START, "a training process cannot be started: " + e.getMessage());
      }
    }
  }

  /** Ends the process if it has not been wanted for a minute. */
  public void endIfIdle() {
    if (child != null && nanoClock.getAsLong() - usedNanos > IDLE_NANOS) {
      LOG.info("the training process {} is ended: there is nothing to learn", child.pid());
      end();
    }
  }

  /** Ends the process, if there is one. */
  public void end() {
    TrainingChild now = child;
    child = null;
    if (now != null) {
      now.kill();
    }
  }

  /**
   * Trains by the process, or in plain Java.
   *
   * @throws TrainingException when the process fails
   */
  @Override
  public TrainedNetwork train(TrainingTask task, BooleanSupplier isEnough) {
    prepare();
    TrainingChild now = child;
    if (now == null || task.isUrgent() && !now.isReady() || !TrainingCodec.fits(task)) {
      return byJava(task, isEnough);
    }
    try {
      TrainedNetwork trained = now.train(task, () -> isClosed || isEnough.getAsBoolean());
      if (isClosed) {
        end();
        throw new TrainingException("learning has ended"); // it may have answered just before
      }
      usedNanos = nanoClock.getAsLong();
      if (trained.steps() > 0) {
        succeeded();
      }
      return trained;
    } catch (ChildException e) {
      end();
      if (isClosed) {
        throw new TrainingException("learning has ended", e);
      }
      failed(e.failure(), e.getMessage());
      if (e.failure() == TrainingFailure.NO_ENGINE) {
        return byJava(task, isEnough);
      }
      throw new TrainingException(e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      end(); // in the middle of something: of no use any more
      throw e;
    }
  }

  private TrainedNetwork byJava(TrainingTask task, BooleanSupplier isEnough) {
    TrainedNetwork trained = plain.train(task, isEnough);
    trainedByJava.increment();
    return trained;
  }

  private boolean mayStart() {
    return !isClosed && (inARow == 0 || nanoClock.getAsLong() - notBeforeNanos >= 0);
  }

  private void start() throws IOException {
    TrainingChild now = TrainingChild.start(command, patience);
    starts.increment();
    child = now;
    if (isClosed) {
      now.kill();
    }
    LOG.debug("the training process {} was started", now.pid());
  }

  private void succeeded() {
    trainedByPyTorch.increment();
    if (inARow > 0 && nanoClock.getAsLong() - failedNanos >= WELL_NANOS) {
      LOG.info("PyTorch trains again, in process {}", child.pid());
      inARow = 0;
      isTold = false;
    }
  }

  /**
   * The first failure is told, and the one after which PyTorch is given up for now; the latter not
   * again before all is well. Failures that came earlier than ten minutes before, in which a
   * process could have been started, do not count any more.
   */
  private void failed(TrainingFailure failure, String message) {
    failures.get(failure).increment();
    long now = nanoClock.getAsLong();
    if (inARow > 0 && now - notBeforeNanos >= WELL_NANOS) {
      inARow = 0; // what is long ago has another cause
    }
    inARow++;
    failedNanos = now;
    boolean isGivenUp = failure == TrainingFailure.NO_ENGINE || inARow >= MOST_FAILURES;
    notBeforeNanos = now + (isGivenUp ? LONG_PAUSE_NANOS : PAUSE_NANOS * inARow);
    if (isGivenUp && isTold) {
      LOG.debug("PyTorch still cannot be used for training: {}", message);
    } else if (isGivenUp) {
      isTold = true;
      LOG.warn(
          "PyTorch cannot be used for training ({}: {}). Where transactions belong is"
              + " learned in plain Java, in this process; PyTorch is tried again in an hour",
          inARow == 1 ? "1 failure" : inARow + " failures, the last one",
          message);
    } else if (inARow == 1) {
      LOG.warn(
          "training where transactions belong has failed: {}. Drivers keep what was published;"
              + " another training process is started after {} s",
          message,
          TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS));
    } else {
      LOG.debug("training has failed, {} times lately: {}", inARow, message);
    }
  }

  /** Processes started so far. */
  public long starts() {
    return starts.sum();
  }

  /** Failures of one kind so far. */
  public long failures(TrainingFailure failure) {
    return failures.get(failure).sum();
  }

  /** Tasks done by PyTorch so far. */
  public long trainedByPyTorch() {
    return trainedByPyTorch.sum();
  }

  /** Tasks done in plain Java so far. */
  public long trainedByJava() {
    return trainedByJava.sum();
  }

  /** Id of the process; -1 = there is none. */
  long pid() {
    TrainingChild now = child;
    return now == null ? -1 : now.pid();
  }

  /** Ends the process for good; a task under way fails, or ends with what has been trained. */
  @Override
  public void close() {
    isClosed = true;
    TrainingChild now = child;
    if (now != null) {
      now.kill();
    }
  }
}
