package io.huddle.client;

import java.net.URI;

/**
 * What a join by REST gives for one connection: {@code stream.url} and {@code stream.ticket} of the membership.
 *
 * @param value good once, for thirty seconds
 */
public record Ticket(URI url, String value) {
    /** Without the ticket, since what has a text ends up in a log. */
    @Override
    public String toString() {
        return "Ticket[" + url + "]";
    }
}
