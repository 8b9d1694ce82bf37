CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`place_id` integer NOT NULL,
	`until` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`place_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `accounts` ADD `imported` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `archive` ADD `import_id` integer;--> statement-breakpoint
CREATE INDEX `archive_by_import` ON `archive` (`import_id`) WHERE "archive"."import_id" is not null;--> statement-breakpoint
ALTER TABLE `switches` ADD `import_id` integer;--> statement-breakpoint
CREATE INDEX `switches_by_import` ON `switches` (`import_id`) WHERE "switches"."import_id" is not null;--> statement-breakpoint
ALTER TABLE `settings` ADD `card_show_color_hex` integer DEFAULT false NOT NULL;