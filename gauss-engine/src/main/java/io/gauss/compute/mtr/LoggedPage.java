package io.gauss.compute.mtr;

/** A page that redo records are about, as its mini-transaction sees it. */
public interface LoggedPage {
  /** Whether the page is latched and its frame has its bytes. */
  boolean isHeld();

  /** Whether it is latched to be written. */
  boolean isWrite();

  long pageId();

  /** Of the page's first byte; good while it is held. */
  long address();
}
