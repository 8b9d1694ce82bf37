CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`system_id` integer NOT NULL,
	`autoproxy_enabled` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `accounts_by_system` ON `accounts` (`system_id`);--> statement-breakpoint
CREATE TABLE `bots` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bots_name_unique` ON `bots` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `bots_hash_unique` ON `bots` (`hash`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`type` text NOT NULL,
	`subject` text,
	`data` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `events_by_system` ON `events` (`system_id`,`id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`pings_enabled` integer DEFAULT true NOT NULL,
	`latch_timeout` integer,
	`member_default_private` integer DEFAULT false NOT NULL,
	`group_default_private` integer DEFAULT false NOT NULL,
	`show_private_info` integer DEFAULT true NOT NULL,
	`member_limit` integer DEFAULT 1000 NOT NULL,
	`group_limit` integer DEFAULT 250 NOT NULL,
	`case_sensitive_proxy_tags` integer DEFAULT true NOT NULL,
	`proxy_error_message_enabled` integer DEFAULT true NOT NULL,
	`hid_display_split` integer DEFAULT false NOT NULL,
	`hid_display_caps` integer DEFAULT false NOT NULL,
	`hid_list_padding` text DEFAULT 'off' NOT NULL,
	`proxy_switch` text DEFAULT 'off' NOT NULL,
	`name_format` text DEFAULT '{name} {tag}' NOT NULL,
	`description_templates` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `systems` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`hid` text NOT NULL,
	`name` text,
	`description` text,
	`tag` text,
	`pronouns` text,
	`avatar_url` text,
	`banner` text,
	`color` text,
	`created` integer,
	`webhook_url` text,
	`name_privacy` text DEFAULT 'public' NOT NULL,
	`description_privacy` text DEFAULT 'public' NOT NULL,
	`avatar_privacy` text DEFAULT 'public' NOT NULL,
	`banner_privacy` text DEFAULT 'public' NOT NULL,
	`pronoun_privacy` text DEFAULT 'public' NOT NULL,
	`member_list_privacy` text DEFAULT 'public' NOT NULL,
	`group_list_privacy` text DEFAULT 'public' NOT NULL,
	`front_privacy` text DEFAULT 'public' NOT NULL,
	`front_history_privacy` text DEFAULT 'public' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `systems_uuid_unique` ON `systems` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `systems_hid_unique` ON `systems` (`hid`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash_unique` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_by_system` ON `tokens` (`system_id`);