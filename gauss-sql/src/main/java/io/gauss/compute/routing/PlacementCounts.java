package io.gauss.compute.routing;

/**
 * What a node has done to have pages where they should be.
 *
 * @param groups that it is to own now
 * @param offered pages that it has offered to others, which took the offer
 * @param hot pages of others that it had at the last look, and kept since they had been written
 *     within about a second
 * @param asked pages that it was offered and has asked for
 * @param placed pages that came by that
 * @param refused pages that it was offered while it had no room for them
 * @param failed pages that did not come in time
 */
public record PlacementCounts(
    int groups, long offered, long hot, long asked, long placed, long refused, long failed) {}
