-- From here on loads keep, in blocks of their own, what was read of the loans of a day. A load of an earlier version would leave
-- them behind what it changes: with this it finds a database that is a newer one's, and writes nothing.
SELECT 1;
