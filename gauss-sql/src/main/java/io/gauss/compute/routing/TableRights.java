package io.gauss.compute.routing;

/** Which tables somebody may read (SELECT). */
public interface TableRights {
  /** For who may read everything. */
  TableRights ALL =
      new TableRights() {
        @Override
        public boolean mayRead(int tableOid) {
          return true;
        }

        @Override
        public boolean mayReadAll(String name) {
          return true;
        }
      };

  /** Whether the table exists and may be read. */
  boolean mayRead(int tableOid);

  /** Whether each table and view of that name may be read, in whatever schema. */
  boolean mayReadAll(String name);
}
