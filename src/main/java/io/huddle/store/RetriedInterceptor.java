package io.huddle.store;

import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;

/** Carries out {@link Retried}. The priority puts it before the platform's transaction interceptor. */
@Retried
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
public class RetriedInterceptor {
    private static final int TRIES = 5;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry transactions;

    @AroundInvoke
    Object retry(InvocationContext call) throws Exception {
        if (transactions.getTransactionStatus() != Status.STATUS_NO_TRANSACTION) {
            return call.proceed();
        }
        for (int left = TRIES - 1; ; left--) {
            try {
                return call.proceed();
            } catch (Exception failed) {
                Failure failure = Failure.of(failed);
                if (failure == Failure.DEFECT) {
                    throw failed;
                }
                if (failure == Failure.UNAVAILABLE || left == 0) {
                    throw new DatabaseUnavailable(
                            "the database did not complete " + call.getMethod().getName(), failed);
                }
            }
        }
    }
}
