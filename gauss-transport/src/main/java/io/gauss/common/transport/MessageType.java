package io.gauss.common.transport;

/**
 * A kind of message that a layer above the transport defines. Ranges are assigned in
 * docs/protocols/transport.md.
 *
 * @param id number on the wire, 1 to 65,535
 * @param name for metrics and errors: lower case, words joined by dots
 */
public record MessageType(int id, String name) {
  public MessageType {
    if (id < 1 || id > 0xFFFF || name.isBlank()) {
      throw new IllegalArgumentException("message type " + id + " '" + name + "'");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
