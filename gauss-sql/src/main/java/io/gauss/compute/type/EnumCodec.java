package io.gauss.compute.type;

/** Values of an enum type: text and binary form are the label, the stored form is its code. */
final class EnumCodec extends TypeCodec {
  private final EnumLabels labels;

  EnumCodec(EnumLabels labels) {
    this.labels = labels;
  }

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    writeBinary(value, out);
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    byte[] label = labels.bytes(value.l);
    out.putBytes(label, 0, label.length);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    readBinary(from, offset, length, out);
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    out.setLong(labels.require(TypeErrors.text(from, offset, length)).code());
  }

  @Override
  public void writeStored(Value value, ByteSink out) {
    out.putLong(value.l);
  }

  @Override
  public void readStored(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(PgType.INT8, length, Long.BYTES);
    out.setLong(ByteSink.getLong(from, offset));
  }

  @Override
  boolean isStoredAsSent() {
    return false;
  }
}
