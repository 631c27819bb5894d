package io.gauss.server;

import io.gauss.bench.model.ModelBench;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Calibrates the model of a cluster's cost, checks it, and lets it predict larger clusters. */
@Command(
    name = "model",
    description =
        "A model of what transactions cost on clusters, from measured results (docs/scaling.md).",
    mixinStandardHelpOptions = true,
    subcommands = {
      ModelBenchCommand.Fit.class,
      ModelBenchCommand.Check.class,
      ModelBenchCommand.Predict.class
    })
final class ModelBenchCommand {
  /** The results of other benchmarks. */
  static final class Results {
    @Parameters(
        arity = "1..*",
        paramLabel = "DIRECTORY",
        description = "With results of `gauss bench ... --json` (*.json).")
    private List<Path> directories;
  }

  /** Which costs the model goes by. */
  static final class Costs {
    @Option(
        names = "--calibration",
        paramLabel = "FILE",
        description = "Made by `fit` (default: the one that comes with Gauss).")
    private Path file;
  }

  private interface Work {
    void run(PrintWriter out) throws IOException;
  }

  private static int run(CommandSpec spec, Work work) {
    try {
      work.run(spec.commandLine().getOut());
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      throw new RefusedException(e.getMessage());
    }
  }

  private ModelBenchCommand() {}

  @Command(
      name = "fit",
      description = "Find what operations cost, from results with one and more compute nodes.",
      mixinStandardHelpOptions = true)
  static final class Fit implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Results results;

    @Option(
        names = "--shared",
        paramLabel = "DIRECTORY",
        description =
            "With results of a machine that others used: messages count as others, processor time"
                + " up to one factor. May be repeated.")
    private List<Path> shared = List.of();

    @Option(
        names = "--idle",
        split = ",",
        defaultValue = "24,9,55",
        paramLabel = "MS",
        description =
            "Processor time that a compute, a memory and a storage node need without clients, ms"
                + " a second (${DEFAULT-VALUE}).")
    private List<Double> idle;

    @Option(
        names = "--out",
        required = true,
        paramLabel = "FILE",
        description = "Where the calibration is written.")
    private Path file;

    @Override
    public Integer call() {
      return run(
          spec,
          out -> {
            ModelBench model = ModelBench.fitted(results.directories, shared, idle, file, out);
            model.check(results.directories, false, 0);
            if (!shared.isEmpty()) {
              model.check(shared, true, 0);
            }
          });
    }
  }

  @Command(
      name = "check",
      description = "Print predictions beside measured results.",
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Results results;
    @Mixin private Costs costs;

    @Option(
        names = "--processors",
        defaultValue = "0",
        description =
            "Processors that nodes and clients had to themselves, for predicting throughput;"
                + " 0 = not known (${DEFAULT-VALUE}).")
    private double processors;

    @Option(
        names = "--shared",
        description = "Others used the machine, as when the calibration was made with --shared.")
    private boolean shared;

    @Override
    public Integer call() {
      return run(
          spec,
          out -> ModelBench.with(costs.file, out).check(results.directories, shared, processors));
    }
  }

  @Command(
      name = "predict",
      description = "Print what clusters of 1 to 64 compute nodes are predicted to do.",
      mixinStandardHelpOptions = true)
  static final class Predict implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private Costs costs;

    @Option(
        names = "--processors",
        defaultValue = "8",
        description = "Of each machine, which is one node's (${DEFAULT-VALUE}).")
    private double processors;

    @Option(
        names = "--clients",
        defaultValue = "64",
        description = "Of each compute node, without time to think (${DEFAULT-VALUE}).")
    private int clients;

    @Option(
        names = "--nodes",
        defaultValue = "16",
        description = "Compute nodes for which the parts are shown (${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
        names = "--pictures",
        paramLabel = "DIRECTORY",
        description = "Write the pictures of docs/scaling.md there, as SVG.")
    private Path pictures;

    @Override
    public Integer call() {
      if (processors <= 0 || clients < 1 || nodes < 1) {
        throw new RefusedException("--processors, --clients and --nodes have to be above 0");
      }
      return run(
          spec,
          out -> ModelBench.with(costs.file, out).predict(processors, clients, nodes, pictures));
    }
  }
}
