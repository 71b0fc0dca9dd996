-- DELETE of a teacher erases e-mail and phone (P7); those that were deleted before it did keep neither.
UPDATE accounts SET email = '', phone = '' WHERE deleted;
