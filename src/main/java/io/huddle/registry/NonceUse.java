package io.huddle.registry;

/** How the use of a nonce ended. */
public enum NonceUse {
    /** The first use: go on. */
    FRESH,
    /** It was used before. */
    REPLAYED,
    /** The time beside it is too far from the registry's clock. */
    OUT_OF_TIME,
    /** The time beside it lies before this registry began, which cannot know what was used then. */
    BEFORE_EPOCH,
    /** See {@link Written.Status#OTHER_EPOCH}. */
    OTHER_EPOCH
}
