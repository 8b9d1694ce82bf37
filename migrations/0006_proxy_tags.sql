CREATE TABLE `__new_proxy_tag_keys` (
	`member_id` integer NOT NULL,
	`set_id` integer NOT NULL,
	`position` integer NOT NULL,
	`prefix` text NOT NULL,
	`suffix` text NOT NULL,
	`prefix_key` text NOT NULL,
	`suffix_key` text NOT NULL,
	`bare_key` text NOT NULL,
	`gap` integer NOT NULL,
	`brackets` integer NOT NULL,
	PRIMARY KEY(`member_id`, `set_id`, `position`),
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_proxy_tag_keys` SELECT `member_id`, `system_id`, `position`, `prefix`, `suffix`, `prefix_key`, `suffix_key`, `bare_key`, length(`prefix`) + length(`suffix`) - length(`bare_key`), (`prefix` = '<') + 2 * (`suffix` = '>') FROM (
	SELECT k.*, coalesce(json_extract(tag.value, '$.prefix'), '') AS `prefix`, coalesce(json_extract(tag.value, '$.suffix'), '') AS `suffix`
	FROM `members` m CROSS JOIN json_each(CASE WHEN json_valid(m.`proxy_tags`) THEN m.`proxy_tags` ELSE '[]' END) tag CROSS JOIN `proxy_tag_keys` k ON k.`member_id` = m.`id` AND k.`position` = tag.key
);
--> statement-breakpoint
DROP TABLE `proxy_tag_keys`;--> statement-breakpoint
ALTER TABLE `__new_proxy_tag_keys` RENAME TO `proxy_tag_keys`;--> statement-breakpoint
CREATE INDEX `proxy_tags_by_affixes` ON `proxy_tag_keys` (`set_id`,`prefix`,`suffix`,`member_id`,`position`);--> statement-breakpoint
CREATE INDEX `proxy_tags_in_any_case` ON `proxy_tag_keys` (`set_id`,`prefix_key`,`suffix_key`,`member_id`,`position`);--> statement-breakpoint
CREATE INDEX `proxy_tags_by_bare` ON `proxy_tag_keys` (`set_id`,`bare_key`,`brackets`,`gap`,`member_id`,`position`);--> statement-breakpoint
ALTER TABLE `systems` ADD `tag_set` integer;--> statement-breakpoint
CREATE INDEX `imports_by_system` ON `imports` (`system_id`);--> statement-breakpoint
CREATE INDEX `imports_by_place` ON `imports` (`place_id`);
