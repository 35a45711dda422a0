package io.huddle.registry;

/**
 * In whose name a write is made, and until when it may happen. A backend refuses a writer whose number it knows to be dead,
 * a registry of another epoch, and an operation that comes too late. Immutable.
 *
 * @param node the number of the writing node; never used twice
 * @param process the process id that joined under that number
 * @param epoch the registry's epoch that the writer joined in
 * @param operation chosen by the caller and the same on every retry of the same operation; 16 to 256 characters
 * @param notAfter milliseconds on the registry's clock; a write that arrives later has no effect, nor has one that arrives
 *     more than {@link #LONGEST_MS} before
 */
public record Warrant(long node, String process, String epoch, String operation, long notAfter) {
    /** A day: for so long a registry remembers at least whose writes it refuses. */
    public static final long LONGEST_MS = 86_400_000;

    public Warrant {
        if (operation.length() < 16 || operation.length() > 256) {
            throw new IllegalArgumentException("an operation id has 16 to 256 characters");
        }
    }

    public boolean isOwnerOf(ClientRecord record) {
        return record.node() == node && record.process().equals(process);
    }
}
