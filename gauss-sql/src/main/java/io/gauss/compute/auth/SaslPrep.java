package io.gauss.compute.auth;

import com.ongres.saslprep.SASLprep;

/**
 * Converts a password to the form in which it is hashed (RFC 4013). As in PostgreSQL, a password
 * that the profile forbids is used unchanged. Thread-safe.
 */
final class SaslPrep {
  private static final SASLprep PROFILE = new SASLprep();

  private SaslPrep() {}

  static String prepare(String password) {
    try {
      return PROFILE.prepareStored(password);
    } catch (IllegalArgumentException e) {
      // It is prohibited, unassigned in the profile's Unicode 3.2, or mixes directions.
      return password;
    } catch (IndexOutOfBoundsException e) {
      // All its characters are mapped to nothing, on which version 2.2 of the library fails.
      return password;
    }
  }
}
