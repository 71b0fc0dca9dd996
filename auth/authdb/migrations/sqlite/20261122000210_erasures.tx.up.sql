-- Raised by whatever erases people's names, e-mails and phones from every state of a tenant (G8): bytes of answers change by it,
-- while the numbers of their states do not.
ALTER TABLE versions ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;
