-- The audit is append-only: whoever reaches the table, by whatever way, can add a line and nothing else. The retention job
-- says so in its transaction before it deletes what is past its time, see io.huddle.admin.AuditLines. PostgreSQL alone: H2's
-- triggers are Java classes, which its driver could not find. Runs again whenever this file has changed.

CREATE OR REPLACE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('huddle.audit_retention', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit is append-only: % is not allowed', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

DROP TRIGGER IF EXISTS audit_append_only ON audit;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();

DROP TRIGGER IF EXISTS audit_not_truncated ON audit;
CREATE TRIGGER audit_not_truncated BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
