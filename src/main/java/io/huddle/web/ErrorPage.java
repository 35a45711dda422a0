package io.huddle.web;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** What the container refuses before a resource sees it (no token, a bad one, no such file), as a problem too. */
@WebServlet(urlPatterns = "/problem", asyncSupported = true)
public class ErrorPage extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        Refusal refusal = of(status instanceof Integer code ? code : HttpServletResponse.SC_NOT_FOUND);
        Problem.write(response, refusal, detail(refusal));
    }

    private static Refusal of(int status) {
        return switch (status) {
            case 401 -> Refusal.UNAUTHENTICATED;
            case 403 -> Refusal.FORBIDDEN;
            case 404 -> Refusal.NOT_FOUND;
            case 405 -> Refusal.METHOD_NOT_ALLOWED;
            case 406 -> Refusal.NOT_ACCEPTABLE;
            case 413 -> Refusal.PAYLOAD_TOO_LARGE;
            case 415 -> Refusal.UNSUPPORTED_MEDIA_TYPE;
            case 503 -> Refusal.UNAVAILABLE;
            default -> status >= 500 ? Refusal.INTERNAL_ERROR : Refusal.INVALID_REQUEST;
        };
    }

    private static String detail(Refusal refusal) {
        return switch (refusal) {
            case UNAUTHENTICATED ->
                "Send Authorization: Bearer with a token that is signed, unexpired and meant for Huddle.";
            case NOT_FOUND -> "There is nothing at this path; /openapi lists what there is.";
            case FORBIDDEN -> "The caller may not use this path.";
            default -> refusal.title() + ".";
        };
    }
}
