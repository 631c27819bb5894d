/**
 * Which node has the pages of keys that nobody has seen yet: from the inner pages of a table's
 * tree, which all nodes have, and from what this node knows of pages' owners.
 *
 * <p>Above the catalog and row formats; below sessions and SQL.
 */
package io.gauss.compute.keys;
