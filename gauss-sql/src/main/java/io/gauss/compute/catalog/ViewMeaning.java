package io.gauss.compute.catalog;

import java.util.List;

/**
 * What a view's query means.
 *
 * @param columns as the query names them
 */
public record ViewMeaning(
    List<ViewDef.Column> columns, List<ViewDef.Reference> references, List<ViewDef.Use> uses) {}
