package io.gauss.server.format;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Everything that Gauss stores or sends in a format of its own. A new message, page, record or file
 * gets a row here, an example in {@code golden.txt} and a row in docs/formats.md; {@link
 * FormatRegistryTest} fails until it has them.
 */
final class FormatRegistry {

  /** Classes with names as those of formats that are none of Gauss's, and why. */
  static final Map<String, String> NOT_FORMATS =
      Map.ofEntries(
          Map.entry("CopyMessages", "PostgreSQL's protocol"),
          Map.entry("ForwardedMessages", "PostgreSQL's protocol"),
          Map.entry("RepeatedMessages", "lines of the log"),
          Map.entry("HolderMessages", "makes messages that PageMessageLayout writes"),
          Map.entry("MapMessages", "names of types"),
          Map.entry("RoutingMessages", "names of types"),
          Map.entry("SessionMessages", "names of types"),
          Map.entry("StorageMessages", "names of types"),
          Map.entry("TransactionMessages", "names of types"),
          Map.entry("ArrayCodec", "PostgreSQL's text and binary values"),
          Map.entry("BoolCodec", "PostgreSQL's text and binary values"),
          Map.entry("ByteaCodec", "PostgreSQL's text and binary values"),
          Map.entry("DateCodec", "PostgreSQL's text and binary values"),
          Map.entry("EnumCodec", "PostgreSQL's text and binary values"),
          Map.entry("FloatCodec", "PostgreSQL's text and binary values"),
          Map.entry("IntegerCodec", "PostgreSQL's text and binary values"),
          Map.entry("IntervalCodec", "PostgreSQL's text and binary values"),
          Map.entry("JsonCodec", "PostgreSQL's text and binary values"),
          Map.entry("JsonbCodec", "PostgreSQL's text and binary values"),
          Map.entry("NumericCodec", "PostgreSQL's text and binary values"),
          Map.entry("OidCodec", "PostgreSQL's text and binary values"),
          Map.entry("TextCodec", "PostgreSQL's text and binary values"),
          Map.entry("TimeCodec", "PostgreSQL's text and binary values"),
          Map.entry("TimestampCodec", "PostgreSQL's text and binary values"),
          Map.entry("TypeCodec", "PostgreSQL's text and binary values"),
          Map.entry("UuidCodec", "PostgreSQL's text and binary values"),
          Map.entry("VectorCodec", "PostgreSQL's text and binary values"));

  /** Classes that write files which have no format of Gauss's, and why. */
  static final Map<String, String> NOT_FILES =
      Map.ofEntries(
          Map.entry("FileDisk", "writes what others have encoded"),
          Map.entry("WholeFile", "properties, PEM and tokens, as its callers' Javadoc has them"),
          Map.entry("NodeDirectories", "properties of a node's number, and a mark"),
          Map.entry("DataDirectory", "a lock with the owner's process id"),
          Map.entry("MockSecret", "32 random bytes"),
          Map.entry("SelfSigned", "PEM"),
          Map.entry("TemporaryFiles", "temporary: gone with the statement"),
          Map.entry("RotatedLog", "empties a file of messages"),
          Map.entry("SegmentRepair", "Ratis's log"),
          Map.entry("UnforcedTail", "Ratis's log"),
          Map.entry("GroupDirectories", "directories that are forced"),
          Map.entry("SegmentDirectory", "a directory that is forced"),
          Map.entry("SimulatedCluster", "the key of a simulated cluster, as ClusterKeyFile has it"),
          Map.entry("ReplicaFiles", "writes snapshots that others have encoded"),
          Map.entry("Trace", "what a run of a simulation did, for a person to compare"));

  private FormatRegistry() {}

  static List<Format> all() {
    return Stream.of(
            LinkFormats.all(),
            MessageFormats.all(),
            PageFormats.all(),
            FileFormats.all(),
            TrainingFormats.all())
        .flatMap(List::stream)
        .toList();
  }
}
