package io.gauss.router.network;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.ParameterList;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import io.gauss.jdbc.routing.model.DjlEngine;
import io.gauss.jdbc.routing.model.Layer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Trains the network with DJL and PyTorch: binary cross entropy over the logits of all units, Adam,
 * batches drawn by a seed. Weights are passed in and out as arrays, so that training continues from
 * the last publication. Thread-safe.
 */
public final class TorchTraining implements NetworkTraining {
  private static final String PYTORCH = "PyTorch";
  private static final int BATCH = Training.BATCH;
  private static final float RATE = Training.RATE;

  private final LongSupplier nanoClock;

  /**
   * Loads PyTorch when that has not been done yet: about a second, and the first time its libraries
   * are unpacked.
   *
   * @param nanoClock as {@link System#nanoTime}
   * @throws NoEngineException when PyTorch cannot be used
   */
  public TorchTraining(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    try {
      DjlEngine.sayNothingToItsMakers();
      Engine.getEngine(PYTORCH).newBaseManager().close();
    } catch (EngineException | IllegalArgumentException | LinkageError e) {
      throw new NoEngineException(e);
    }
  }

  @Override
  public TrainedNetwork train(TrainingTask task, BooleanSupplier isEnough) {
    BooleanSupplier end = Training.end(task, isEnough, nanoClock);
    List<Layer> layers = task.layers();
    TrainingRows rows = task.rows();
    int in = rows.inputs();
    int out = rows.outputs();
    Loss loss = Loss.sigmoidBinaryCrossEntropyLoss("loss", 1, false);
    DefaultTrainingConfig config =
        new DefaultTrainingConfig(loss)
            .optOptimizer(Optimizer.adam().optLearningRateTracker(Tracker.fixed(RATE)).build());
    try (Model model = Model.newInstance("routing", PYTORCH)) {
      model.setBlock(block(layers));
      try (Trainer trainer = model.newTrainer(config)) {
        trainer.initialize(new Shape(BATCH, in));
        put(layers, model.getBlock());
        Random random = new Random(task.seed());
        float[] x = new float[BATCH * in];
        float[] y = new float[BATCH * out];
        int done = 0;
        for (; done < task.steps() && !end.getAsBoolean(); done++) {
          for (int b = 0; b < BATCH; b++) {
            int row = rows.pick(random);
            rows.writeInput(row, x, b * in);
            rows.writeOutput(row, y, b * out);
          }
          step(trainer, loss, x, y, in, out);
        }
        return new TrainedNetwork(take(layers, model.getBlock()), done);
      }
    }
  }

  private static void step(Trainer trainer, Loss loss, float[] x, float[] y, int in, int out) {
    try (NDManager manager = trainer.getManager().newSubManager()) {
      NDArray batch = manager.create(x, new Shape(BATCH, in));
      NDArray labels = manager.create(y, new Shape(BATCH, out));
      try (GradientCollector gradients = trainer.newGradientCollector()) {
        NDList predicted = trainer.forward(new NDList(batch));
        NDArray value = loss.evaluate(new NDList(labels), predicted);
        gradients.backward(value);
        predicted.close();
        value.close();
      }
      trainer.step();
    }
  }

  private static SequentialBlock block(List<Layer> layers) {
    SequentialBlock block = new SequentialBlock();
    for (int i = 0; i < layers.size(); i++) {
      block.add(Linear.builder().setUnits(layers.get(i).outputs()).build());
      if (i < layers.size() - 1) {
        block.add(Activation.reluBlock());
      }
    }
    return block;
  }

  private static void put(List<Layer> layers, Block block) {
    ParameterList parameters = block.getParameters();
    for (int i = 0; i < layers.size(); i++) {
      parameters.valueAt(2 * i).getArray().set(layers.get(i).weights());
      parameters.valueAt(2 * i + 1).getArray().set(layers.get(i).bias());
    }
  }

  private static List<Layer> take(List<Layer> layers, Block block) {
    ParameterList parameters = block.getParameters();
    List<Layer> trained = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      float[] weights = parameters.valueAt(2 * i).getArray().toFloatArray();
      float[] bias = parameters.valueAt(2 * i + 1).getArray().toFloatArray();
      Training.check(weights);
      Layer layer = layers.get(i);
      trained.add(new Layer(layer.inputs(), layer.outputs(), weights, bias));
    }
    return trained;
  }
}
