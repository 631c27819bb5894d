package io.gauss.compute.routing;

/**
 * What a node has done to move pages to the nodes that are to own them.
 *
 * @param groups that it is to own now
 * @param offered pages that it has offered to other nodes and that these accepted
 * @param hot pages of other nodes that it had at the last pass, and kept because they had been
 *     written within about a second, or because transactions use them here that would not follow
 * @param asked pages that it was offered and has requested
 * @param placed pages that arrived after such requests
 * @param refused pages that it was offered while it had no room for them
 * @param failed pages that did not arrive in time
 */
public record PlacementCounts(
    int groups, long offered, long hot, long asked, long placed, long refused, long failed) {}
