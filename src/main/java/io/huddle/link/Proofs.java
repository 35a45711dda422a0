package io.huddle.link;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.link.wire.Hello;
import io.huddle.link.wire.Welcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How two nodes prove to each other in the upgrade that they know the group's secret and who they are. Immutable.
 *
 * <p>Each side's proof is an HMAC by the secret and a signature by its process' key, over the same text: purpose, path,
 * versions, itself, whom it means, time and nonce, each with its length before it so that no two texts can be taken for
 * each other. The answer is bound to the requester's key and nonce. The group's secret alone proves nobody: the key must be
 * the one that the membership publishes.
 */
final class Proofs {
    static final int OLDEST_VERSION = 1;
    static final int NEWEST_VERSION = 1;
    static final int NONCE_BYTES = 24;
    static final long SKEW_MS = 30_000;

    private static final int MOST_TEXT = 4_096;
    private static final String HMAC = "HmacSHA256";
    private static final String REQUEST = "huddle mesh request";
    private static final String ANSWER = "huddle mesh answer";

    private final List<String> secrets;
    private final KeyOfProcess key;
    private final String path;

    /** @param secrets the first one signs requests, each one verifies */
    Proofs(List<String> secrets, KeyOfProcess key, String path) {
        this.secrets = List.copyOf(secrets);
        this.key = key;
        this.path = path;
    }

    /**
     * A request by the group's secret and for this node. Whether it is proven is judged next; whether the key is the
     * number's, and whether the nonce is new, is for its caller.
     *
     * @param secret the one that it was signed by, which the answer is signed by as well: in a rotation the requester may
     *     not know the newest one yet
     */
    record Judged(Hello hello, int version, int secret) {
        String key() {
            return Base64.getEncoder().encodeToString(hello.getKey().toByteArray());
        }
    }

    Hello hello(Self self, Peer peer, long nowMs, byte[] nonce) {
        return signed(Hello.newBuilder()
                .setLeastVersion(OLDEST_VERSION)
                .setMostVersion(NEWEST_VERSION)
                .setNumber(self.number())
                .setProcess(self.process())
                .setKey(ByteString.copyFrom(key.encoded()))
                .setAudienceNumber(peer.number())
                .setAudienceProcess(peer.process())
                .setTimeMs(nowMs)
                .setNonce(ByteString.copyFrom(nonce)));
    }

    Hello signed(Hello.Builder hello) {
        byte[] text = text(hello.build());
        return hello.setProof(ByteString.copyFrom(hmac(0, text)))
                .setSignature(ByteString.copyFrom(key.sign(text)))
                .build();
    }

    /**
     * Judges of a request that came here what needs no clock: empty if it is not by the group's secret or not for this
     * node, and nobody learns which.
     */
    Optional<Judged> judge(Hello hello, Self self) {
        byte[] text = text(hello);
        int secret = secret(text, hello.getProof().toByteArray());
        int version = Math.min(NEWEST_VERSION, hello.getMostVersion());
        boolean isRight = secret >= 0
                && version >= Math.max(OLDEST_VERSION, hello.getLeastVersion())
                && hello.getAudienceNumber() == self.number()
                && hello.getAudienceProcess().equals(self.process())
                && hello.getNonce().size() == NONCE_BYTES;
        return isRight ? Optional.of(new Judged(hello, version, secret)) : Optional.empty();
    }

    /** The rest of the judgement: true if it is of now, and by the key that it names. */
    boolean isProven(Judged judged, long nowMs) {
        Hello hello = judged.hello();
        return isNear(hello.getTimeMs(), nowMs)
                && KeyOfProcess.isSigned(
                        hello.getKey().toByteArray(),
                        text(hello),
                        hello.getSignature().toByteArray());
    }

    Welcome welcome(Judged judged, Self self, long nowMs, byte[] nonce) {
        Welcome.Builder welcome = Welcome.newBuilder()
                .setVersion(judged.version())
                .setNumber(self.number())
                .setProcess(self.process())
                .setKey(ByteString.copyFrom(key.encoded()))
                .setTimeMs(nowMs)
                .setNonce(ByteString.copyFrom(nonce));
        byte[] text = text(welcome.build(), judged.hello());
        return welcome.setProof(ByteString.copyFrom(hmac(judged.secret(), text)))
                .setSignature(ByteString.copyFrom(key.sign(text)))
                .build();
    }

    /** True if the answer is this peer's, and to this request. */
    boolean isFrom(Peer peer, Welcome welcome, Hello asked, long nowMs) {
        byte[] text = text(welcome, asked);
        String published = Base64.getEncoder().encodeToString(welcome.getKey().toByteArray());
        return secret(text, welcome.getProof().toByteArray()) >= 0
                && welcome.getNumber() == peer.number()
                && welcome.getProcess().equals(peer.process())
                && isEqual(published, peer.key())
                && welcome.getVersion() >= OLDEST_VERSION
                && welcome.getVersion() <= NEWEST_VERSION
                && welcome.getNonce().size() == NONCE_BYTES
                && isNear(welcome.getTimeMs(), nowMs)
                && KeyOfProcess.isSigned(
                        welcome.getKey().toByteArray(),
                        text,
                        welcome.getSignature().toByteArray());
    }

    static String encode(Hello hello) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(hello.toByteArray());
    }

    static String encode(Welcome welcome) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(welcome.toByteArray());
    }

    static Optional<Hello> decodeHello(String text) {
        try {
            return text.length() > MOST_TEXT ? Optional.empty() : Optional.of(Hello.parseFrom(decode(text)));
        } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    static Optional<Welcome> decodeWelcome(String text) {
        try {
            return text.length() > MOST_TEXT ? Optional.empty() : Optional.of(Welcome.parseFrom(decode(text)));
        } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    private static byte[] decode(String text) {
        return Base64.getUrlDecoder().decode(text);
    }

    private static boolean isNear(long timeMs, long nowMs) {
        return timeMs >= nowMs - SKEW_MS && timeMs <= nowMs + SKEW_MS;
    }

    private static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** The secret that this proof was made by, -1 if it is none of ours; as slow for each answer. */
    private int secret(byte[] text, byte[] proof) {
        int found = -1;
        for (int i = secrets.size() - 1; i >= 0; i--) {
            if (MessageDigest.isEqual(hmac(i, text), proof)) {
                found = i;
            }
        }
        return found;
    }

    private byte[] hmac(int secret, byte[] text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secrets.get(secret).getBytes(StandardCharsets.UTF_8), HMAC));
            return mac.doFinal(text);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime has " + HMAC, impossible);
        }
    }

    private byte[] text(Hello hello) {
        return joined(
                utf8(REQUEST),
                utf8(path),
                number(hello.getLeastVersion()),
                number(hello.getMostVersion()),
                number(hello.getNumber()),
                utf8(hello.getProcess()),
                hello.getKey().toByteArray(),
                number(hello.getAudienceNumber()),
                utf8(hello.getAudienceProcess()),
                number(hello.getTimeMs()),
                hello.getNonce().toByteArray());
    }

    private byte[] text(Welcome welcome, Hello asked) {
        return joined(
                utf8(ANSWER),
                utf8(path),
                number(welcome.getVersion()),
                number(welcome.getNumber()),
                utf8(welcome.getProcess()),
                welcome.getKey().toByteArray(),
                number(asked.getNumber()),
                utf8(asked.getProcess()),
                asked.getKey().toByteArray(),
                asked.getNonce().toByteArray(),
                number(welcome.getTimeMs()),
                welcome.getNonce().toByteArray());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] joined(byte[]... fields) {
        int size = 0;
        for (byte[] field : fields) {
            size += Integer.BYTES + field.length;
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        for (byte[] field : fields) {
            all.putInt(field.length).put(field);
        }
        return all.array();
    }
}
