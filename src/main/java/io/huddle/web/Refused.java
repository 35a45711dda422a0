package io.huddle.web;

import java.util.Map;

/**
 * A request was understood and refused. A decision, not a defect: it has no stack trace and is not logged.
 *
 * <p>A transaction it passes through still commits where the method says {@code dontRollbackOn}: a renewal that comes too
 * late writes the expiry and is refused.
 */
public class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;
    private final transient Map<String, String> members;

    /** @param detail what was wrong and what to do, for a person; holds no id of another team and no health data */
    public Refused(Refusal refusal, String detail) {
        this(refusal, detail, Map.of());
    }

    /** @param members further members of the problem, for instance the open room's id */
    public Refused(Refusal refusal, String detail, Map<String, String> members) {
        super(detail, null, false, false);
        this.refusal = refusal;
        this.members = Map.copyOf(members);
    }

    public static Refused invalid(String detail) {
        return new Refused(Refusal.INVALID_REQUEST, detail);
    }

    public Refusal refusal() {
        return refusal;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    public Map<String, String> members() {
        return members;
    }
}
