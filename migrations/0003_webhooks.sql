CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`event_id` integer,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`status` integer,
	`error` text,
	`attempt` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_system` ON `deliveries` (`system_id`,`id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`token` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`cursor` integer NOT NULL,
	`failing_since` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt` integer,
	`checked` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
