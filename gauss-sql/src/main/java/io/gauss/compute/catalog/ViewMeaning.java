package io.gauss.compute.catalog;

import java.util.List;

/**
 * The meaning of a view's query.
 *
 * @param columns as the query names them
 */
public record ViewMeaning(
    List<ViewDef.Column> columns, List<ViewDef.Reference> references, List<ViewDef.Use> uses) {}
