package io.gauss.compute.type;

/**
 * What a type has that a statement has made, besides its oid. One object for a type and its array
 * type; each version of the definition has its own. Immutable, compared by identity.
 */
final class UserType {
  final String schema;
  final String name;
  final String arrayName;
  final EnumLabels labels;
  final TypeCodec codec;

  UserType(String schema, String name, String arrayName, EnumLabels labels) {
    this.schema = schema;
    this.name = name;
    this.arrayName = arrayName;
    this.labels = labels;
    this.codec = new EnumCodec(labels);
  }
}
