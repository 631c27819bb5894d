package io.gauss.compute.type;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TypeCodecFuzzTest {
  @Test
  void every_value_survives_text_and_binary() {
    Random random = new Random(RandomValues.seed("TypeCodecFuzzTest"));
    for (int i = 0; i < 100_000; i++) {
      PgType type = RandomValues.TYPES.get(random.nextInt(RandomValues.TYPES.size()));
      Value value = RandomValues.next(type, random, false);
      TypeCodec codec = TypeCodec.of(type);
      ByteSink sink = new ByteSink();
      codec.writeText(value, TypeContext.DEFAULT, sink);
      Value read = new Value();
      codec.readText(sink.array, 0, sink.length, TypeContext.DEFAULT, read);
      String text = sink.toString();
      assertTrue(RandomValues.identical(type, value, read), () -> type + " text " + text);
      ByteSink binary = new ByteSink();
      codec.writeBinary(value, binary);
      codec.readBinary(binary.array, 0, binary.length, read);
      assertTrue(RandomValues.identical(type, value, read), () -> type + " binary " + text);
    }
  }
}
