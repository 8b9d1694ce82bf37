CREATE TABLE `autoproxy` (
	`system_id` integer NOT NULL,
	`guild_id` text NOT NULL,
	`autoproxy_mode` text DEFAULT 'off' NOT NULL,
	`autoproxy_member` integer,
	`last_latch_timestamp` integer,
	PRIMARY KEY(`system_id`, `guild_id`),
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`autoproxy_member`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `autoproxy_by_member` ON `autoproxy` (`autoproxy_member`);--> statement-breakpoint
CREATE TABLE `group_members` (
	`group_id` integer NOT NULL,
	`member_id` integer NOT NULL,
	PRIMARY KEY(`group_id`, `member_id`),
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `group_members_by_member` ON `group_members` (`member_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`hid` text NOT NULL,
	`system_id` integer NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`display_name` text,
	`description` text,
	`created` integer,
	`icon` text,
	`banner` text,
	`color` text,
	`name_privacy` text DEFAULT 'public' NOT NULL,
	`description_privacy` text DEFAULT 'public' NOT NULL,
	`banner_privacy` text DEFAULT 'public' NOT NULL,
	`icon_privacy` text DEFAULT 'public' NOT NULL,
	`list_privacy` text DEFAULT 'public' NOT NULL,
	`metadata_privacy` text DEFAULT 'public' NOT NULL,
	`visibility` text DEFAULT 'public' NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_uuid_unique` ON `groups` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `groups_hid_unique` ON `groups` (`hid`);--> statement-breakpoint
CREATE INDEX `groups_by_system` ON `groups` (`system_id`);--> statement-breakpoint
CREATE TABLE `member_guilds` (
	`member_id` integer NOT NULL,
	`guild_id` text NOT NULL,
	`display_name` text,
	`avatar_url` text,
	`keep_proxy` integer,
	PRIMARY KEY(`member_id`, `guild_id`),
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `members` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`hid` text NOT NULL,
	`system_id` integer NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`display_name` text,
	`color` text,
	`birthday` text,
	`pronouns` text,
	`avatar_url` text,
	`webhook_avatar_url` text,
	`banner` text,
	`description` text,
	`created` integer,
	`proxy_tags` text DEFAULT '[]' NOT NULL,
	`keep_proxy` integer DEFAULT false NOT NULL,
	`tts` integer DEFAULT false NOT NULL,
	`autoproxy_enabled` integer DEFAULT true NOT NULL,
	`message_count` integer DEFAULT 0 NOT NULL,
	`last_message_timestamp` integer,
	`visibility` text DEFAULT 'public' NOT NULL,
	`name_privacy` text DEFAULT 'public' NOT NULL,
	`description_privacy` text DEFAULT 'public' NOT NULL,
	`birthday_privacy` text DEFAULT 'public' NOT NULL,
	`pronoun_privacy` text DEFAULT 'public' NOT NULL,
	`avatar_privacy` text DEFAULT 'public' NOT NULL,
	`banner_privacy` text DEFAULT 'public' NOT NULL,
	`metadata_privacy` text DEFAULT 'public' NOT NULL,
	`proxy_privacy` text DEFAULT 'public' NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `members_uuid_unique` ON `members` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `members_hid_unique` ON `members` (`hid`);--> statement-breakpoint
CREATE INDEX `members_by_system` ON `members` (`system_id`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`original` text NOT NULL,
	`sender` text NOT NULL,
	`channel` text NOT NULL,
	`guild` text,
	`system_id` integer NOT NULL,
	`member_id` integer,
	`timestamp` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `messages_by_original` ON `messages` (`original`);--> statement-breakpoint
CREATE INDEX `messages_by_system` ON `messages` (`system_id`);--> statement-breakpoint
CREATE INDEX `messages_by_member` ON `messages` (`member_id`);--> statement-breakpoint
CREATE TABLE `proxy_tag_keys` (
	`member_id` integer NOT NULL,
	`system_id` integer NOT NULL,
	`position` integer NOT NULL,
	`prefix_key` text NOT NULL,
	`suffix_key` text NOT NULL,
	`bare_key` text NOT NULL,
	PRIMARY KEY(`member_id`, `position`),
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `proxy_tag_keys_by_affixes` ON `proxy_tag_keys` (`system_id`,`prefix_key`,`suffix_key`);--> statement-breakpoint
CREATE INDEX `proxy_tag_keys_by_bare` ON `proxy_tag_keys` (`system_id`,`bare_key`);--> statement-breakpoint
CREATE TABLE `switch_members` (
	`switch_id` integer NOT NULL,
	`position` integer NOT NULL,
	`member_id` integer NOT NULL,
	PRIMARY KEY(`switch_id`, `position`),
	FOREIGN KEY (`switch_id`) REFERENCES `switches`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `switch_members_by_member` ON `switch_members` (`member_id`);--> statement-breakpoint
CREATE TABLE `switches` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`timestamp` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `switches_uuid_unique` ON `switches` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `switches_by_time` ON `switches` (`system_id`,`timestamp`);--> statement-breakpoint
CREATE TABLE `system_guilds` (
	`system_id` integer NOT NULL,
	`guild_id` text NOT NULL,
	`proxying_enabled` integer DEFAULT true NOT NULL,
	`tag` text,
	`tag_enabled` integer DEFAULT true NOT NULL,
	`avatar_url` text,
	`display_name` text,
	`name_format` text,
	PRIMARY KEY(`system_id`, `guild_id`),
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
