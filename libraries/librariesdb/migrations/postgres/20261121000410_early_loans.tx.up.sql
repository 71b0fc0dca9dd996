-- Renewals have their reader and title themselves: which loans were made before the history need not be known.
DROP TABLE libraries_early_loans;
