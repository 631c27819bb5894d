package io.gauss.server;

import io.gauss.server.join.JoinToken;
import io.gauss.storage.disk.PrivateFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes this machine a node of a cluster, and starts the node. */
@Command(
    name = "join",
    description = {
      "Make this machine a node of a cluster that was begun by `gauss up --advertise`, and start"
          + " the node, by default with all roles. Later, `gauss start --data DIR` starts it again."
    },
    mixinStandardHelpOptions = true)
final class JoinCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "HOST:PORT",
      arity = "0..1",
      description = "The node that has given out the token (default: as the token tells).")
  private String at;

  @Option(
      names = "--token",
      required = true,
      description = "The token that `gauss token` has printed; - reads it from standard input.")
  private String token;

  @Option(
      names = "--data",
      description = "Data directory of the node, empty or missing (default: ./data).")
  private Path data = Path.of("data");

  @Option(
      names = "--port",
      defaultValue = "5432",
      description = "Port for clients (default: ${DEFAULT-VALUE}).")
  private int port;

  @Mixin private MachineOptions machine;

  @Option(
      names = "--replaces",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Number of a node that was stopped or is lost: this one gets what its storage kept, which"
              + " then is no part of the cluster any more.")
  private int replaces;

  @Option(names = "--detach", description = "Return once the node is up; stop it by `stop`.")
  private boolean detach;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting of the node, kept for later starts. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    NewMachine wanted = machine.machine(port, replaces, settings);
    JoinToken read = readToken();
    PrivateFiles.createDirectory(data);
    Path directory = data.toRealPath();
    PrivateFiles.check(directory);
    if (NodeDescription.read(directory).isPresent()) {
      throw new RefusedException(
          data + " is a node already; start it by `gauss start --data " + data + "`");
    }
    wanted.checkPorts(directory, false);
    NodeDescription node = join(wanted, directory, read);
    PrintWriter out = spec.commandLine().getOut();
    out.println("This machine is node " + node.node() + " of the cluster; it starts.");
    out.flush();
    return detach ? MachineNode.runDetached(directory, out) : MachineNode.run(directory, out);
  }

  private NodeDescription join(NewMachine wanted, Path directory, JoinToken read)
      throws IOException {
    if (at == null) {
      return wanted.join(directory, read, read.host(), read.port());
    }
    int colon = at.lastIndexOf(':');
    if (colon < 1 || !at.substring(colon + 1).matches("\\d{1,5}")) {
      throw new RefusedException(at + " is not HOST:PORT");
    }
    return wanted.join(
        directory, read, at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
  }

  private JoinToken readToken() throws IOException {
    String text = token;
    if (text.equals(STANDARD_INPUT)) {
      text =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))
              .readLine();
    }
    try {
      return JoinToken.parse(text == null ? "" : text.strip());
    } catch (IllegalArgumentException e) {
      throw new RefusedException("--token: " + e.getMessage());
    }
  }
}
