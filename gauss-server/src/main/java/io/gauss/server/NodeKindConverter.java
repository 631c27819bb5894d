package io.gauss.server;

import io.gauss.common.config.NodeKind;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Kinds of nodes by the names that they have on the command line. Picocli takes an enum's constants
 * by their names in Java, too, and would offer both.
 */
final class NodeKindConverter implements ITypeConverter<NodeKind> {
  @Override
  public NodeKind convert(String value) {
    for (NodeKind kind : NodeKind.values()) {
      if (kind.toString().equals(value)) {
        return kind;
      }
    }
    throw new TypeConversionException(
        "expected one of " + Arrays.toString(NodeKind.values()) + " but was '" + value + "'");
  }
}
