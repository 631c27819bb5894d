package io.gauss.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of Gauss in a JVM like that of the tests, with the flags that nodes get. */
final class GaussCommand {
  private static final List<String> FLAGS =
      List.of(
          "-XX:+UseCompactObjectHeaders",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:MaxDirectMemorySize=1t",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "-Dchronicle.analytics.disable=true",
          "-Dchronicle.announcer.disable=true",
          "-Dlogback.configurationFile=logback.xml"); // the product's, to a file of each node

  private GaussCommand() {}

  /**
   * A process that writes what it says behind what is in a file.
   *
   * @param heap option of the JVM
   * @param arguments after {@code gauss}
   */
  static ProcessBuilder process(String heap, List<String> arguments, Path log) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(FLAGS);
    command.add(heap);
    command.add(Main.class.getName());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    // Not as an option: a process learns its own options only while they are short.
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    return builder;
  }
}
