package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import io.huddle.web.Text;
import jakarta.enterprise.context.RequestScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/** The demo sign-in: whoever can reach the loopback interface may be anybody. Called by nobody in particular. */
@Path("/demo/token")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class DemoResource {
    private static final int LIFETIME_SECONDS = 8 * 3600;
    private static final int MOST = 50;

    /** The answer: a bearer token. */
    public record Token(String token) {}

    @POST
    public Token sign(RequestBody body) {
        if (!Setting.DEMO.isOn()) {
            // The filter before says so already; a key that is never to sign deserves a second lock.
            throw new Refused(Refusal.NOT_FOUND, "No resource has this path; /openapi lists them.");
        }
        String subject = Text.participant("subject", body.text("subject", Text.ID_LENGTH));
        List<String> groups = body.texts("groups", MOST, Text.ID_LENGTH);
        List<String> teams = body.texts("teams", MOST, Text.ID_LENGTH);
        body.end();
        return new Token(token(subject, groups, teams, Instant.now()));
    }

    private static String token(String subject, List<String> groups, List<String> teams, Instant now) {
        JsonObject header =
                Json.createObjectBuilder().add("alg", "RS256").add("typ", "JWT").build();
        String claim = Setting.text("huddle.jwt.subject-claim");
        JsonObject claims = Json.createObjectBuilder()
                .add("iss", DemoKey.ISSUER)
                .add("aud", DemoKey.ISSUER)
                .add("sub", subject)
                .add(claim.isEmpty() ? "sub" : claim, subject)
                .add("groups", array(groups))
                .add("teams", array(teams))
                .add("iat", now.getEpochSecond())
                .add("exp", now.getEpochSecond() + LIFETIME_SECONDS)
                .build();
        String signed = base64(header.toString().getBytes(StandardCharsets.UTF_8)) + "."
                + base64(claims.toString().getBytes(StandardCharsets.UTF_8));
        return signed + "." + base64(sign(signed));
    }

    private static byte[] sign(String text) {
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(DemoKey.pair().getPrivate());
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("the demo key cannot sign", impossible);
        }
    }

    private static JsonArrayBuilder array(List<String> texts) {
        return Json.createArrayBuilder(texts);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
