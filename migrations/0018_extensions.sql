CREATE TABLE `deleted_archives` (
	`system_id` integer NOT NULL,
	`collection` text NOT NULL,
	`through_id` integer NOT NULL,
	PRIMARY KEY(`system_id`, `collection`),
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `deleted_switches` (
	`system_id` integer NOT NULL,
	`uuid` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`system_id`, `uuid`),
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deleted_switches_by_system` ON `deleted_switches` (`system_id`,`at`);--> statement-breakpoint
CREATE INDEX `deleted_switches_by_time` ON `deleted_switches` (`at`);--> statement-breakpoint
CREATE TABLE `ext_settings` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`front_status_privacy` text DEFAULT 'private' NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `ext_usage` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`text_bytes` integer DEFAULT 0 NOT NULL,
	`front_notes` integer DEFAULT 0 NOT NULL,
	`notes` integer DEFAULT 0 NOT NULL,
	`posts` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `field_values` (
	`member_id` integer NOT NULL,
	`field_id` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`member_id`, `field_id`),
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `field_values_by_field` ON `field_values` (`field_id`);--> statement-breakpoint
CREATE TABLE `fields` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`type` text DEFAULT 'text' NOT NULL,
	`options` text,
	`privacy` text DEFAULT 'private' NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `fields_uuid_unique` ON `fields` (`uuid`);--> statement-breakpoint
CREATE INDEX `fields_by_system` ON `fields` (`system_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `fields_by_import` ON `fields` (`import_id`) WHERE "fields"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `front_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`kind` text DEFAULT 'status' NOT NULL,
	`at` integer,
	`text` text,
	`author_name` text,
	`created` integer,
	`edited` integer,
	`member_id` integer,
	`by_member` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`by_member`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `front_notes_uuid_unique` ON `front_notes` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `front_notes_by_status` ON `front_notes` (`system_id`,`member_id`,`at`) WHERE "front_notes"."kind" = 'status';--> statement-breakpoint
CREATE INDEX `front_notes_by_time` ON `front_notes` (`system_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `front_notes_by_member` ON `front_notes` (`member_id`,`at`);--> statement-breakpoint
CREATE INDEX `front_notes_by_author` ON `front_notes` (`by_member`);--> statement-breakpoint
CREATE INDEX `front_notes_by_import` ON `front_notes` (`import_id`) WHERE "front_notes"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `group_ext` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`emoji` text,
	`position` integer DEFAULT 0 NOT NULL,
	`parent_id` integer,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`parent_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `group_ext_by_parent` ON `group_ext` (`parent_id`);--> statement-breakpoint
CREATE TABLE `member_ext` (
	`member_id` integer PRIMARY KEY NOT NULL,
	`kind` text DEFAULT 'member' NOT NULL,
	`archived_at` integer,
	`archived_reason` text,
	`announce_front` integer DEFAULT true NOT NULL,
	`about` text,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`author_name` text,
	`title` text,
	`text` text,
	`color` text,
	`date` integer,
	`pinned` integer DEFAULT false NOT NULL,
	`created` integer,
	`edited` integer,
	`member_id` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notes_uuid_unique` ON `notes` (`uuid`);--> statement-breakpoint
CREATE INDEX `notes_by_date` ON `notes` (`system_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `notes_by_member` ON `notes` (`member_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `notes_by_import` ON `notes` (`import_id`) WHERE "notes"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `origins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`app` text NOT NULL,
	`collection` text NOT NULL,
	`source_id` text NOT NULL,
	`target` text NOT NULL,
	`import_id` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `origins_by_source` ON `origins` (`system_id`,`app`,`collection`,`source_id`);--> statement-breakpoint
CREATE INDEX `origins_by_import` ON `origins` (`import_id`) WHERE "origins"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `poll_votes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`poll_id` integer NOT NULL,
	`author_name` text,
	`comment` text,
	`created` integer,
	`member_id` integer,
	`option_id` text NOT NULL,
	FOREIGN KEY (`poll_id`) REFERENCES `polls`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `poll_votes_by_voter` ON `poll_votes` (`poll_id`,`member_id`);--> statement-breakpoint
CREATE INDEX `poll_votes_by_member` ON `poll_votes` (`member_id`);--> statement-breakpoint
CREATE TABLE `polls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`about` text,
	`options` text,
	`ends` integer,
	`created` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `polls_uuid_unique` ON `polls` (`uuid`);--> statement-breakpoint
CREATE INDEX `polls_by_time` ON `polls` (`system_id`,`created`,`id`);--> statement-breakpoint
CREATE INDEX `polls_by_import` ON `polls` (`import_id`) WHERE "polls"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`author_name` text,
	`title` text,
	`text` text DEFAULT '' NOT NULL,
	`written` integer,
	`edited` integer,
	`reply_to` text,
	`read` integer DEFAULT false NOT NULL,
	`room_id` integer,
	`for_member` integer,
	`by_member` integer,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`room_id`) REFERENCES `rooms`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`for_member`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`by_member`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `posts_uuid_unique` ON `posts` (`uuid`);--> statement-breakpoint
CREATE INDEX `posts_by_time` ON `posts` (`system_id`,`written`,`id`);--> statement-breakpoint
CREATE INDEX `posts_by_room` ON `posts` (`room_id`,`written`,`id`);--> statement-breakpoint
CREATE INDEX `posts_by_board` ON `posts` (`system_id`,`for_member`,`written`,`id`) WHERE "posts"."room_id" is null;--> statement-breakpoint
CREATE INDEX `posts_by_unread` ON `posts` (`system_id`,`for_member`) WHERE ("posts"."room_id" is null and "posts"."read" = 0);--> statement-breakpoint
CREATE INDEX `posts_by_recipient` ON `posts` (`for_member`);--> statement-breakpoint
CREATE INDEX `posts_by_author` ON `posts` (`by_member`);--> statement-breakpoint
CREATE INDEX `posts_by_import` ON `posts` (`import_id`) WHERE "posts"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `rooms` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`about` text,
	`category` text,
	`position` integer DEFAULT 0 NOT NULL,
	`is_deleted` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rooms_uuid_unique` ON `rooms` (`uuid`);--> statement-breakpoint
CREATE INDEX `rooms_by_system` ON `rooms` (`system_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `rooms_by_deletion` ON `rooms` (`id`) WHERE "rooms"."is_deleted" = 1;--> statement-breakpoint
CREATE INDEX `rooms_by_import` ON `rooms` (`import_id`) WHERE "rooms"."import_id" is not null;--> statement-breakpoint
ALTER TABLE `systems` ADD `deleted_through_status_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `import_archive` ADD `replaced_by` integer;--> statement-breakpoint
ALTER TABLE `import_archive` ADD `reader` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `import_archive_by_collection` ON `import_archive` (`system_id`,`collection`,`id`) WHERE "import_archive"."id" > 0;--> statement-breakpoint
CREATE INDEX `import_archive_by_replacement` ON `import_archive` (`replaced_by`) WHERE "import_archive"."replaced_by" is not null;--> statement-breakpoint
CREATE TABLE `rendered_member_ext` (
	`id` integer PRIMARY KEY NOT NULL,
	`schema_hash` integer NOT NULL,
	`owner_json` text NOT NULL,
	`public_json` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TRIGGER `member_ext_invalidate_insert` AFTER INSERT ON `member_ext` BEGIN DELETE FROM `rendered_member_ext` WHERE id = NEW.member_id; END;--> statement-breakpoint
CREATE TRIGGER `member_ext_invalidate_update` AFTER UPDATE ON `member_ext` BEGIN DELETE FROM `rendered_member_ext` WHERE id = NEW.member_id; END;--> statement-breakpoint
CREATE TRIGGER `member_ext_invalidate_delete` AFTER DELETE ON `member_ext` BEGIN DELETE FROM `rendered_member_ext` WHERE id = OLD.member_id; END;--> statement-breakpoint
CREATE TRIGGER `field_values_invalidate_insert` AFTER INSERT ON `field_values` BEGIN DELETE FROM `rendered_member_ext` WHERE id = NEW.member_id; END;--> statement-breakpoint
CREATE TRIGGER `field_values_invalidate_update` AFTER UPDATE ON `field_values` BEGIN DELETE FROM `rendered_member_ext` WHERE id = NEW.member_id; END;--> statement-breakpoint
CREATE TRIGGER `field_values_invalidate_delete` AFTER DELETE ON `field_values` BEGIN DELETE FROM `rendered_member_ext` WHERE id = OLD.member_id; END;--> statement-breakpoint
CREATE TRIGGER `members_invalidate_ext` AFTER UPDATE OF `visibility`, `description_privacy` ON `members` BEGIN DELETE FROM `rendered_member_ext` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `fields_invalidate_values` AFTER UPDATE OF `uuid`, `privacy` ON `fields` BEGIN DELETE FROM `rendered_member_ext` WHERE id IN (SELECT `member_id` FROM `field_values` WHERE `field_id` = NEW.id); END;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `events` text DEFAULT 'pluralkit' NOT NULL;--> statement-breakpoint
INSERT INTO `member_ext` (`member_id`, `kind`)
	SELECT DISTINCT `member_id`, 'custom_front' FROM `group_members`
	WHERE `group_id` IN (SELECT `group_id` FROM `status_groups`);
