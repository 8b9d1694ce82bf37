CREATE TABLE `login_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`hash` text NOT NULL,
	`expires` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `login_codes_hash_unique` ON `login_codes` (`hash`);--> statement-breakpoint
CREATE INDEX `login_codes_by_system` ON `login_codes` (`system_id`);--> statement-breakpoint
CREATE INDEX `login_codes_by_end` ON `login_codes` (`expires`);--> statement-breakpoint
CREATE TABLE `pinned_members` (
	`member_id` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `preferences` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`word` text NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`token_id` integer,
	`hash` text NOT NULL,
	`name` text NOT NULL,
	`created` integer NOT NULL,
	`last_used` integer NOT NULL,
	`expires` integer NOT NULL,
	`remember` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_uuid_unique` ON `sessions` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_system` ON `sessions` (`system_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_token` ON `sessions` (`token_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_end` ON `sessions` (`expires`);--> statement-breakpoint
CREATE TABLE `status_groups` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
DROP INDEX `tokens_by_system`;--> statement-breakpoint
ALTER TABLE `tokens` ADD `scope` text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE `tokens` ADD `expires` integer;--> statement-breakpoint
ALTER TABLE `tokens` ADD `last_used` integer;--> statement-breakpoint
ALTER TABLE `tokens` ADD `private_members` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_by_name` ON `tokens` (`system_id`,`name`);