package io.huddle.store;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Instants in the entities, since Jakarta Persistence 3.1 does not know them. */
@Converter(autoApply = true)
public class Instants implements AttributeConverter<Instant, OffsetDateTime> {
    @Override
    public @Nullable OffsetDateTime convertToDatabaseColumn(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    @Override
    public @Nullable Instant convertToEntityAttribute(@Nullable OffsetDateTime stored) {
        return stored == null ? null : stored.toInstant();
    }
}
