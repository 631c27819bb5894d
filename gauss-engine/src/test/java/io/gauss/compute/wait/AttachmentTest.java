package io.gauss.compute.wait;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.gauss.compute.mtr.Attachment;
import io.gauss.compute.mtr.EngineContext;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttachmentTest {
  private static final Attachment<StringBuilder> TEXT =
      new Attachment<>(ctx -> new StringBuilder());

  @Test
  void theStateIsMadeAtItsFirstUseAndKept() {
    EngineContext ctx = new EngineContext(null);
    assertNull(TEXT.orNull(ctx));
    StringBuilder made = TEXT.of(ctx);
    assertSame(made, TEXT.of(ctx));
    assertSame(made, TEXT.orNull(ctx));
  }

  @Test
  void contextsHaveStatesOfTheirOwn() {
    assertNotSame(TEXT.of(new EngineContext(null)), TEXT.of(new EngineContext(null)));
  }

  @Test
  void keysAreIndependentHoweverManyThereAre() {
    EngineContext ctx = new EngineContext(null);
    List<Attachment<Integer>> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      keys.add(new Attachment<>(any -> number));
    }
    for (int i = 19; i >= 0; i--) {
      assertNull(keys.get(i).orNull(ctx));
      assertEquals(i, keys.get(i).of(ctx));
    }
    for (int i = 0; i < 20; i++) {
      assertEquals(i, keys.get(i).orNull(ctx));
    }
  }

  @Test
  void aFactoryMayUseAnotherKey() {
    EngineContext ctx = new EngineContext(null);
    Attachment<List<StringBuilder>> both = new Attachment<>(of -> List.of(TEXT.of(of)));
    assertSame(TEXT.of(ctx), both.of(ctx).getFirst());
  }
}
