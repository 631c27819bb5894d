package io.gauss.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.gauss.common.error.GaussException;
import io.gauss.common.id.Lsn;
import io.gauss.common.transport.Transport;
import io.gauss.storage.local.log.LogFiles;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.remote.StatusClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Prints the nodes of a data directory and their states, and for a cluster of processes its storage
 * nodes, streams and map. Exit code 0 when all are UP and every stream can be written, 3 otherwise.
 */
@Command(
    name = "status",
    description = {
      "Show the nodes and streams of a cluster.",
      "Exit code 0 when all nodes are UP and every stream has a leader and a majority, else 3."
    },
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final int NOT_WELL = 3;

  /**
   * A storage node answers within milliseconds, or after a pause; the command does not wait longer
   * than this.
   */
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  @Spec private CommandSpec spec;

  @Option(names = "--data", required = true, description = "Data directory.")
  private Path data;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    StatusReport report = report();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .writeValueAsString(report.json()));
    } else {
      if (report.nodes().isEmpty() && report.cluster() == null) {
        out.println("no cluster was started in " + data);
      }
      out.print(report.text());
    }
    out.flush();
    return report.isWell() ? 0 : NOT_WELL;
  }

  /** Null where there is no log. */
  private StatusReport.LocalStream localStream(List<StatusReport.Process> processes) {
    Path log = data.resolve("log");
    if (!Files.isDirectory(log)) {
      return null;
    }
    try {
      LogFiles files = LogFiles.open(log);
      LogFiles.End end = files.end();
      return new StatusReport.LocalStream(
          files.streamId(),
          files.startOffset(),
          end.offset(),
          end.lastLsn(),
          pages(processes, files.streamId()),
          null);
    } catch (GaussException e) {
      return new StatusReport.LocalStream(0, 0, 0, Lsn.NONE, null, e.getMessage());
    }
  }

  /** Null when no node reports it. */
  private static NodePages pages(List<StatusReport.Process> processes, int stream) {
    return processes.stream()
        .filter(process -> ClusterFile.Node.answers(process.state()))
        .flatMap(
            process -> NodePages.ask(process.node().host(), process.node().port(), stream).stream())
        .findFirst()
        .orElse(null);
  }

  private StatusReport report() throws IOException {
    List<StatusReport.Process> processes =
        ClusterFile.find(data).map(ClusterFile::nodes).orElse(List.of()).stream()
            .map(node -> new StatusReport.Process(node, node.state()))
            .toList();
    Optional<ClusterAccess> access = ClusterAccess.find(data);
    if (access.isEmpty()) {
      return new StatusReport(processes, null, null, localStream(processes));
    }
    try (Transport transport = access.get().connect();
        StatusClient client = new StatusClient(transport, access.get().nodes())) {
      MapAnswer.Status map = client.map(DEADLINE).orElse(null);
      return new StatusReport(processes, client.status(DEADLINE), map, null);
    }
  }
}
