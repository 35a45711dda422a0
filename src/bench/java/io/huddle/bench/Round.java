package io.huddle.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

/** A closed loop over some lines for a while: on each one request under way, the next one sent when it is answered. */
final class Round {
    private final List<? extends Line> lines;
    private final IntFunction<ByteBuffer> request;
    private final ObjIntConsumer<ByteBuffer> check;
    private final Samples samples = new Samples();
    private Predicate<ByteBuffer> isAnswer = message -> true;
    private long until;
    private int underWay;

    /**
     * @param request the next request of a line
     * @param check throws if that is not the answer of this line
     */
    Round(List<? extends Line> lines, IntFunction<ByteBuffer> request, ObjIntConsumer<ByteBuffer> check) {
        this.lines = lines;
        this.request = request;
        this.check = check;
    }

    /** Messages that are no answers: receipts of a busy server. */
    Round onlyFor(Predicate<ByteBuffer> answers) {
        isAnswer = answers;
        return this;
    }

    Samples run(Loop loop, double seconds) throws IOException {
        long start = System.nanoTime();
        until = start + (long) (seconds * 1e9);
        for (int i = 0; i < lines.size(); i++) {
            underWay++;
            ask(i);
        }
        loop.run(() -> underWay == 0, Loop.NO_WORK);
        samples.took(System.nanoTime() - start);
        return samples;
    }

    private void ask(int i) {
        long sent = System.nanoTime();
        lines.get(i).ask(request.apply(i), answer -> {
            if (!isAnswer.test(answer)) {
                return;
            }
            long now = System.nanoTime();
            samples.add(now - sent);
            check.accept(answer, i);
            if (now < until) {
                ask(i);
            } else {
                underWay--;
            }
        });
    }
}
