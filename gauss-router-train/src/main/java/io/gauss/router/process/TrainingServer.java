package io.gauss.router.process;

import io.gauss.common.runtime.Environment;
import io.gauss.router.network.NetworkTraining;
import io.gauss.router.network.NoEngineException;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.TrainingTask;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Trains for whoever writes tasks into its input, one after the other. One thread reads, so that
 * the end of the input ends the process also while another one trains.
 */
final class TrainingServer {
  /** Exit codes: the input has ended; what came was no task; an error, or no engine. */
  static final int ENDED = 0;

  static final int BAD_INPUT = 65;
  static final int FAILED = 70;

  private final InputStream in;
  private final OutputStream out;
  private final Supplier<NetworkTraining> engine;
  private final IntConsumer exit;
  private final BlockingQueue<TrainingTask> tasks = new ArrayBlockingQueue<>(1);
  private volatile boolean isStopped; // the task under way

  /**
   * @param engine loads it, or throws {@link NoEngineException} or a {@link LinkageError}
   * @param exit ends the process at once
   */
  TrainingServer(
      InputStream in, OutputStream out, Supplier<NetworkTraining> engine, IntConsumer exit) {
    this.in = new BufferedInputStream(in, 1 << 16);
    this.out = new BufferedOutputStream(out, 1 << 16);
    this.engine = engine;
    this.exit = exit;
  }

  /** Trains until the process is ended. */
  void run() {
    Environment.start("gauss-training-in", this::read);
    try {
      serve(load());
    } catch (IOException e) {
      exit.accept(ENDED); // nobody reads results any more
    } catch (InterruptedException e) {
      exit.accept(FAILED);
    }
  }

  private NetworkTraining load() throws IOException {
    try {
      return engine.get();
    } catch (NoEngineException | LinkageError e) {
      say(TrainingLayout.NO_ENGINE, e);
      exit.accept(FAILED);
      throw new IOException(e);
    }
  }

  private void serve(NetworkTraining training) throws IOException, InterruptedException {
    TrainingFrame.write(out, TrainingLayout.READY, TrainingFrame.EMPTY.duplicate());
    out.flush();
    while (true) {
      TrainingTask task = tasks.take();
      try {
        TrainedNetwork trained = training.train(task, () -> isStopped);
        TrainingCodec.write(out, trained);
      } catch (RuntimeException e) {
        say(TrainingLayout.FAILED, e);
      } catch (Error e) {
        // What state the process is in is not known any more.
        say(TrainingLayout.FAILED, e);
        exit.accept(FAILED);
        return;
      }
    }
  }

  private void say(int type, Throwable why) throws IOException {
    TrainingFrame.write(out, type, why.toString());
    out.flush();
  }

  private void read() {
    try {
      TrainingCodec.TaskReader reading = null;
      TrainingFrame frame = TrainingFrame.read(in);
      while (frame != null) {
        if (frame.type() == TrainingLayout.STOP) {
          isStopped = true;
        } else if (reading != null) {
          reading.add(frame);
        } else if (frame.type() == TrainingLayout.TASK) {
          reading = new TrainingCodec.TaskReader(frame);
        } else {
          throw new BadFrameException("a frame of type " + frame.type() + " without a task");
        }
        if (reading != null && reading.isComplete()) {
          isStopped = false;
          tasks.add(reading.task());
          reading = null;
        }
        frame = TrainingFrame.read(in);
      }
      exit.accept(ENDED);
    } catch (BadFrameException e) {
      System.err.println("what came is no task: " + e.getMessage());
      exit.accept(BAD_INPUT);
    } catch (IOException e) {
      exit.accept(ENDED); // the node has ended
    } catch (RuntimeException | Error e) {
      System.err.println("reading has failed: " + e);
      exit.accept(FAILED);
    }
  }
}
