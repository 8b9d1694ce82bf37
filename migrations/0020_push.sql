CREATE TABLE `push_queue` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`target_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`due` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`target_id`) REFERENCES `push_targets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_queue_by_subject` ON `push_queue` (`target_id`,`kind`,`subject`);--> statement-breakpoint
CREATE INDEX `push_queue_by_time` ON `push_queue` (`due`,`id`);--> statement-breakpoint
CREATE TABLE `push_targets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`session_id` integer,
	`token_id` integer,
	`endpoint` text NOT NULL,
	`endpoint_hash` text NOT NULL,
	`p256dh` text NOT NULL,
	`auth` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`wants` text DEFAULT '[]' NOT NULL,
	`shows_names` integer DEFAULT true NOT NULL,
	`created` integer,
	`last_ok` integer,
	`failing_since` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_targets_uuid_unique` ON `push_targets` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `push_targets_endpoint_hash_unique` ON `push_targets` (`endpoint_hash`);--> statement-breakpoint
CREATE INDEX `push_targets_by_system` ON `push_targets` (`system_id`);--> statement-breakpoint
CREATE INDEX `push_targets_by_session` ON `push_targets` (`session_id`);--> statement-breakpoint
CREATE INDEX `push_targets_by_token` ON `push_targets` (`token_id`);--> statement-breakpoint
CREATE TABLE `server_keys` (
	`name` text PRIMARY KEY NOT NULL,
	`private_jwk` text NOT NULL,
	`public_key` text NOT NULL,
	`created` integer NOT NULL
);
