CREATE TABLE `setup_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires` integer NOT NULL
);
