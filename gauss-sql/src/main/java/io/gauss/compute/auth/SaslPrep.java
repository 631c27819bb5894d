package io.gauss.compute.auth;

import com.ongres.saslprep.SASLprep;

/**
 * Brings a password into the form that it is hashed in (RFC 4013). As PostgreSQL does, a password
 * that the profile forbids is taken as it is. Thread-safe.
 */
final class SaslPrep {
  private static final SASLprep PROFILE = new SASLprep();

  private SaslPrep() {}

  static String prepare(String password) {
    try {
      return PROFILE.prepareStored(password);
    } catch (IllegalArgumentException e) {
      // Prohibited, unassigned in the profile's Unicode 3.2, or of mixed directions.
      return password;
    } catch (IndexOutOfBoundsException e) {
      // All of its characters are mapped to nothing, which version 2.2 of the library fails at.
      return password;
    }
  }
}
