package io.huddle.link;

/** Takes the streams of one operation. Called on a thread of the link: what blocks goes elsewhere. */
@FunctionalInterface
public interface LinkAcceptor {
    /**
     * @return who takes the bytes of this stream
     * @throws LinkFailed of {@code REMOTE} to refuse it; its code and flag reach the sender
     */
    LinkReceiver accept(LinkHandler.Call call);
}
