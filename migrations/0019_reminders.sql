CREATE TABLE `reminders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`text` text,
	`kind` text DEFAULT 'repeat' NOT NULL,
	`every_days` integer,
	`at` text,
	`from` text,
	`after` integer,
	`on` text,
	`enabled` integer DEFAULT true NOT NULL,
	`due` integer,
	`last_fired` integer,
	`created` integer,
	`due_switch_id` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reminders_uuid_unique` ON `reminders` (`uuid`);--> statement-breakpoint
CREATE INDEX `reminders_by_system` ON `reminders` (`system_id`,`created`,`id`);--> statement-breakpoint
CREATE INDEX `reminders_by_due` ON `reminders` (`due`,`id`) WHERE "reminders"."due" is not null;--> statement-breakpoint
CREATE INDEX `reminders_by_import` ON `reminders` (`import_id`) WHERE "reminders"."import_id" is not null;