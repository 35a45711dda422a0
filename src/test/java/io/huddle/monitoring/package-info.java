/**
 * What lies in {@code src/monitoring} and {@code src/docs/runbooks}, read as whoever is on call reads it: rules, dashboard
 * and runbooks must fit each other and the metrics. It must never import the product's packages of features.
 */
@NullMarked
package io.huddle.monitoring;

import org.jspecify.annotations.NullMarked;
