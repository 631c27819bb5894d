package io.gauss.compute.expr.time;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.EvalContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A template of to_char, to_date and to_timestamp for dates, cut into its parts. Immutable; short
 * ones are cached by text.
 */
final class DateFormat {
  /**
   * A part of a template.
   *
   * @param key the pattern as written, null for literal text
   * @param text literal text, for example between quotes
   * @param quoted whether the literal text was in quotes
   * @param fill no FM before it: pads with blanks or zeros
   * @param ordinal TH or th after it, else null
   */
  record Part(String key, String text, boolean quoted, boolean fill, String ordinal) {
    /** The pattern in upper case. */
    String pattern() {
      return key.toUpperCase(java.util.Locale.ROOT);
    }

    boolean isSeparator() {
      return key == null && !quoted;
    }
  }

  /** Longer ones first where one is a prefix of another. */
  private static final String[] KEYS = {
    "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "CC", "DAY", "DDD", "DD", "DY", "D", "FF1", "FF2",
    "FF3", "FF4", "FF5", "FF6", "HH24", "HH12", "HH", "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I",
    "J", "MI", "MM", "MONTH", "MON", "MS", "OF", "P.M.", "PM", "Q", "RM", "SSSSS", "SSSS", "SS",
    "TZH", "TZM", "TZ", "US", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y"
  };

  private static final int KEPT = 256;

  /** Longer templates are not kept: a few of them would fill the memory. */
  private static final int LONGEST_KEPT = 200;

  private static final Map<String, DateFormat> CACHE = new ConcurrentHashMap<>();

  final List<Part> parts = new ArrayList<>();

  /** FX: the input must have the template's separators and widths. */
  boolean exact;

  private DateFormat(String template) {
    EvalContext.checkTemplate(template);
    int p = 0;
    StringBuilder literal = new StringBuilder();
    while (p < template.length()) {
      boolean fill = true;
      while (true) {
        if (template.regionMatches(true, p, "FM", 0, 2)) {
          fill = false;
          p += 2;
        } else if (template.regionMatches(true, p, "FX", 0, 2)) {
          exact = true;
          p += 2;
        } else if (template.regionMatches(true, p, "TM", 0, 2)) {
          throw GaussException.notSupported("the TM prefix of date formats");
        } else {
          break;
        }
      }
      if (p >= template.length()) {
        break;
      }
      String key = keyAt(template, p);
      if (key != null) {
        flush(literal);
        p += key.length();
        String ordinal = null;
        if (template.regionMatches(true, p, "TH", 0, 2)) {
          ordinal = template.substring(p, p + 2);
          p += 2;
        }
        parts.add(new Part(key, null, false, fill, ordinal));
      } else if (template.charAt(p) == '"') {
        flush(literal);
        p = quoted(template, p + 1);
      } else if (template.charAt(p) == '\\' && p + 1 < template.length()) {
        literal.append(template.charAt(p + 1));
        p += 2;
      } else {
        literal.append(template.charAt(p++));
      }
    }
    flush(literal);
  }

  private int quoted(String template, int from) {
    StringBuilder text = new StringBuilder();
    int p = from;
    while (p < template.length() && template.charAt(p) != '"') {
      if (template.charAt(p) == '\\' && p + 1 < template.length()) {
        p++;
      }
      text.append(template.charAt(p++));
    }
    parts.add(new Part(null, text.toString(), true, true, null));
    return p + 1;
  }

  private void flush(StringBuilder literal) {
    if (!literal.isEmpty()) {
      parts.add(new Part(null, literal.toString(), false, true, null));
      literal.setLength(0);
    }
  }

  private static String keyAt(String template, int p) {
    for (String key : KEYS) {
      if (template.regionMatches(true, p, key, 0, key.length())) {
        return template.substring(p, p + key.length());
      }
    }
    return null;
  }

  static DateFormat of(String template) {
    DateFormat known = CACHE.get(template);
    if (known != null) {
      return known;
    }
    DateFormat made = new DateFormat(template);
    if (template.length() > LONGEST_KEPT) {
      return made;
    }
    if (CACHE.size() >= KEPT) {
      CACHE.clear();
    }
    CACHE.put(template, made);
    return made;
  }
}
