CREATE TABLE `guilds` (
	`guild_id` text PRIMARY KEY NOT NULL,
	`disabled_channels` text DEFAULT '[]' NOT NULL,
	`require_system_tag` integer DEFAULT false NOT NULL
);
