package io.huddle.link;

import java.util.HashMap;
import java.util.Map;

/**
 * Which process and key belong to a number, for as long as a handshake or a link goes by it. Safe for use by any thread.
 *
 * <p>A number is never given twice, so another process or key for one that is held is a forgery or a defect, and refused.
 */
final class Pins {
    private final int most;
    private final Map<Long, Pin> pins = new HashMap<>();

    private record Pin(String process, String key, int owners) {
        Pin with(int count) {
            return new Pin(process, key, count);
        }
    }

    /** What became of an attempt to hold. */
    enum Hold {
        HELD,
        CONFLICT,
        FULL
    }

    Pins(int most) {
        this.most = most;
    }

    /** Holds it once more; if held, to be released as often. */
    synchronized Hold hold(long number, String process, String key) {
        Pin known = pins.get(number);
        if (known == null) {
            if (pins.size() >= most) {
                return Hold.FULL;
            }
            pins.put(number, new Pin(process, key, 1));
            return Hold.HELD;
        }
        if (!known.process().equals(process) || !known.key().equals(key)) {
            return Hold.CONFLICT;
        }
        pins.put(number, known.with(known.owners() + 1));
        return Hold.HELD;
    }

    synchronized void release(long number) {
        pins.computeIfPresent(number, (key, pin) -> pin.owners() == 1 ? null : pin.with(pin.owners() - 1));
    }

    synchronized int size() {
        return pins.size();
    }
}
