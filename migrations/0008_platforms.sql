CREATE TABLE `link_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`hash` text NOT NULL,
	`expires` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `link_codes_hash_unique` ON `link_codes` (`hash`);--> statement-breakpoint
CREATE INDEX `link_codes_by_system` ON `link_codes` (`system_id`);--> statement-breakpoint
CREATE INDEX `link_codes_by_end` ON `link_codes` (`expires`);--> statement-breakpoint
CREATE TABLE `link_failures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `link_failures_by_account` ON `link_failures` (`account_id`,`at`);--> statement-breakpoint
CREATE INDEX `link_failures_by_time` ON `link_failures` (`at`);--> statement-breakpoint
ALTER TABLE `bots` ADD `platform` text DEFAULT 'discord' NOT NULL;--> statement-breakpoint
ALTER TABLE `systems` ADD `made_on` text DEFAULT 'discord';