CREATE TABLE `discord_claims` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`node` text NOT NULL,
	`at` integer NOT NULL,
	`guild` text,
	`channel` text NOT NULL,
	`thread` text,
	`sender` text NOT NULL,
	`member` text,
	`digest` text
);
--> statement-breakpoint
CREATE INDEX `discord_claims_by_state` ON `discord_claims` (`state`,`at`);--> statement-breakpoint
CREATE TABLE `discord_commands` (
	`application` text NOT NULL,
	`scope` text NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`application`, `scope`)
);
--> statement-breakpoint
CREATE TABLE `discord_sessions` (
	`shard` integer PRIMARY KEY NOT NULL,
	`shards` integer NOT NULL,
	`session_id` text NOT NULL,
	`resume_url` text NOT NULL,
	`sequence` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `discord_status` (
	`application` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`node` text NOT NULL,
	`at` integer NOT NULL,
	`shards` integer NOT NULL,
	`shards_ready` integer NOT NULL,
	`guilds` integer NOT NULL,
	`last_event` integer,
	`problem` text
);
--> statement-breakpoint
DROP INDEX `messages_by_system`;--> statement-breakpoint
CREATE INDEX `messages_by_system` ON `messages` (`system_id`,`timestamp`);--> statement-breakpoint
ALTER TABLE `guilds` ADD `log_channel` text;--> statement-breakpoint
ALTER TABLE `guilds` ADD `log_disabled_channels` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `guilds` ADD `silent` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `guilds` ADD `command_errors` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `guilds` ADD `say_enabled` integer DEFAULT false NOT NULL;