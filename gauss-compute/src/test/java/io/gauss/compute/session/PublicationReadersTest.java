package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.catalog.Catalog;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.RoleDef;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which roles see anything of what is published, while the catalog changes. */
class PublicationReadersTest {
  private static final int ROLE = 20_001;
  private static final int OTHER = 20_002;

  /** Each reading of the clock takes that long: so does each look at a role. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private CatalogSnapshot current = new Catalog(Map.of()).current();
  private long nanos;
  private final PublicationReaders readers =
      new PublicationReaders(() -> current, () -> nanos += LOOK_NANOS);

  /** Somebody changes the catalog: the role becomes a superuser, or is none any more. */
  private void change(int oid, boolean isSuperuser) {
    RoleDef role =
        new RoleDef(
            oid,
            "role" + oid,
            isSuperuser,
            true,
            false,
            false,
            true,
            false,
            false,
            -1,
            null,
            null,
            List.of());
    current = current.with(current.version() + 1, Map.of(oid, role), Set.of());
  }

  @Test
  void itIsFollowedInTime() {
    assertFalse(readers.test(ROLE), "there is no table");
    change(ROLE, true);
    nanos += PublicationReaders.LASTS_TIMES * LOOK_NANOS;
    assertTrue(readers.test(ROLE));
    change(ROLE, false);
    nanos += PublicationReaders.LASTS_TIMES * LOOK_NANOS;
    assertFalse(readers.test(ROLE));
  }

  /** As of many CREATE TABLE, where there are many tables. */
  @Test
  void aCatalogThatChangesAllTheTimeIsNotLookedAtAllTheTime() {
    assertFalse(readers.test(ROLE));
    change(ROLE, true);
    change(OTHER, true);
    assertFalse(readers.test(ROLE), "the last look was a moment ago");
    assertTrue(readers.test(OTHER), "it has not been looked at");
    int looks = 0;
    long end = nanos + 10 * PublicationReaders.LASTS_TIMES * LOOK_NANOS;
    while (nanos < end) {
      boolean was = readers.test(ROLE);
      change(ROLE, !was);
      looks += readers.test(ROLE) == was ? 0 : 1;
    }
    assertTrue(looks > 0 && looks <= 10, "looked " + looks + " times");
  }
}
