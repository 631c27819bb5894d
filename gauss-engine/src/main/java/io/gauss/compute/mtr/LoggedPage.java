package io.gauss.compute.mtr;

/** A page that redo records change, as its mini-transaction sees it. */
public interface LoggedPage {
  /** Whether the page is latched and its frame has its bytes. */
  boolean isHeld();

  /** Whether it is latched to be written. */
  boolean isWrite();

  long pageId();

  /** Address of the page's first byte; valid while the page is held. */
  long address();
}
