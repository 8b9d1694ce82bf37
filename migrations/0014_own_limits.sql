CREATE TABLE `__new_settings` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`pings_enabled` integer DEFAULT true NOT NULL,
	`latch_timeout` integer,
	`member_default_private` integer DEFAULT false NOT NULL,
	`group_default_private` integer DEFAULT false NOT NULL,
	`show_private_info` integer DEFAULT true NOT NULL,
	`member_limit` integer,
	`group_limit` integer,
	`case_sensitive_proxy_tags` integer DEFAULT true NOT NULL,
	`proxy_error_message_enabled` integer DEFAULT true NOT NULL,
	`hid_display_split` integer DEFAULT false NOT NULL,
	`hid_display_caps` integer DEFAULT false NOT NULL,
	`hid_list_padding` text DEFAULT 'off' NOT NULL,
	`proxy_switch` text DEFAULT 'off' NOT NULL,
	`name_format` text DEFAULT '{name} {tag}' NOT NULL,
	`description_templates` text DEFAULT '[]' NOT NULL,
	`card_show_color_hex` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_settings` (`system_id`, `timezone`, `pings_enabled`, `latch_timeout`, `member_default_private`, `group_default_private`, `show_private_info`, `member_limit`, `group_limit`, `case_sensitive_proxy_tags`, `proxy_error_message_enabled`, `hid_display_split`, `hid_display_caps`, `hid_list_padding`, `proxy_switch`, `name_format`, `description_templates`, `card_show_color_hex`)
SELECT `system_id`, `timezone`, `pings_enabled`, `latch_timeout`, `member_default_private`, `group_default_private`, `show_private_info`, nullif(`member_limit`, 1000), nullif(`group_limit`, 250), `case_sensitive_proxy_tags`, `proxy_error_message_enabled`, `hid_display_split`, `hid_display_caps`, `hid_list_padding`, `proxy_switch`, `name_format`, `description_templates`, `card_show_color_hex` FROM `settings`;
--> statement-breakpoint
DROP TABLE `settings`;
--> statement-breakpoint
ALTER TABLE `__new_settings` RENAME TO `settings`;
