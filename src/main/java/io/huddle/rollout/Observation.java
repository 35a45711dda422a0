package io.huddle.rollout;

import io.huddle.setting.Setting;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import io.huddle.web.Text;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one source saw of a room at one moment.
 *
 * @param observedAt null for the moment at which it arrives
 * @param participants by participant, in the order of their names
 */
record Observation(String source, @Nullable Instant observedAt, Map<String, Media> participants) {
    private static final int SOURCE_LENGTH = 100;
    private static final int TIME_LENGTH = 40;

    /** @throws Refused {@code invalid-request} for anything but the body of the contract */
    static Observation read(RequestBody body) {
        String source = body.text("source", SOURCE_LENGTH);
        Instant observedAt = time(body.optionalText("observedAt", TIME_LENGTH));
        Map<String, Media> participants = new TreeMap<>();
        for (RequestBody one : body.objects("participants", Setting.OBSERVATION_PARTICIPANTS.value())) {
            String participant = Text.participant("participant", one.text("participant", Text.ID_LENGTH));
            Media media = Media.named(one.text("media", TIME_LENGTH))
                    .orElseThrow(() -> Refused.invalid("media must be flowing, silent or gone"));
            one.end();
            if (participants.put(participant, media) != null) {
                throw Refused.invalid("participants must name each participant once");
            }
        }
        body.end();
        return new Observation(source, observedAt, participants);
    }

    private static @Nullable Instant time(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException unreadable) {
            throw Refused.invalid("observedAt must be a time of RFC 3339, such as 2026-11-30T08:03:05.512Z");
        }
    }

    /**
     * When it was observed, by the database's clock. What is a little ahead of that clock is taken for now: it must not
     * stay the latest for longer than others.
     *
     * @throws Refused {@code invalid-request} if it is too old or too far ahead
     */
    static Instant observed(@Nullable Instant said, Instant now, Duration oldest, Duration ahead) {
        if (said == null) {
            return now;
        }
        if (said.isBefore(now.minus(oldest))) {
            throw Refused.invalid("observedAt is older than " + oldest.toSeconds() + " s");
        }
        if (said.isAfter(now.plus(ahead))) {
            throw Refused.invalid("observedAt is more than " + ahead.toSeconds() + " s ahead of the server's clock");
        }
        return said.isAfter(now) ? now : said;
    }
}
