package io.gauss.storage.local.pages;

import io.gauss.common.redo.RedoApply;

/**
 * How records change pages; {@link #REDO} in production, a trivial function in tests of the store.
 * Stateless.
 */
public interface PageApply {
  PageApply REDO =
      new PageApply() {
        @Override
        public void apply(long page, long record, long lsn, int stream) {
          RedoApply.apply(page, record, lsn, stream);
        }

        @Override
        public boolean startsPage(int type) {
          return RedoApply.startsPage(type);
        }
      };

  /** See {@link RedoApply#apply}. */
  void apply(long page, long record, long lsn, int stream);

  /** See {@link RedoApply#startsPage}. */
  boolean startsPage(int type);
}
