CREATE TABLE `bucket_fields` (
	`bucket_id` integer NOT NULL,
	`field_id` integer NOT NULL,
	PRIMARY KEY(`bucket_id`, `field_id`),
	FOREIGN KEY (`bucket_id`) REFERENCES `buckets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bucket_fields_by_field` ON `bucket_fields` (`field_id`);--> statement-breakpoint
CREATE TABLE `bucket_friends` (
	`bucket_id` integer NOT NULL,
	`friendship_id` integer NOT NULL,
	PRIMARY KEY(`bucket_id`, `friendship_id`),
	FOREIGN KEY (`bucket_id`) REFERENCES `buckets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`friendship_id`) REFERENCES `friendships`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bucket_friends_by_friendship` ON `bucket_friends` (`friendship_id`);--> statement-breakpoint
CREATE TABLE `bucket_groups` (
	`bucket_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`bucket_id`, `group_id`),
	FOREIGN KEY (`bucket_id`) REFERENCES `buckets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bucket_groups_by_group` ON `bucket_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `bucket_members` (
	`bucket_id` integer NOT NULL,
	`member_id` integer NOT NULL,
	PRIMARY KEY(`bucket_id`, `member_id`),
	FOREIGN KEY (`bucket_id`) REFERENCES `buckets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bucket_members_by_member` ON `bucket_members` (`member_id`);--> statement-breakpoint
CREATE TABLE `buckets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`import_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`about` text,
	`color` text,
	`emoji` text,
	`position` integer DEFAULT 0 NOT NULL,
	`default_for` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `buckets_uuid_unique` ON `buckets` (`uuid`);--> statement-breakpoint
CREATE INDEX `buckets_by_system` ON `buckets` (`system_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `buckets_by_import` ON `buckets` (`import_id`) WHERE "buckets"."import_id" is not null;--> statement-breakpoint
CREATE TABLE `friend_invites` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`system_id` integer NOT NULL,
	`hash` text NOT NULL,
	`share` text NOT NULL,
	`name` text,
	`expires` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `friend_invites_uuid_unique` ON `friend_invites` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `friend_invites_hash_unique` ON `friend_invites` (`hash`);--> statement-breakpoint
CREATE INDEX `friend_invites_by_system` ON `friend_invites` (`system_id`);--> statement-breakpoint
CREATE TABLE `friend_notify_due` (
	`system_id` integer PRIMARY KEY NOT NULL,
	`due` integer NOT NULL,
	`announces` integer NOT NULL,
	`fronters_before` text,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `friend_notify_due_by_time` ON `friend_notify_due` (`due`);--> statement-breakpoint
CREATE TABLE `friend_sides` (
	`friendship_id` integer NOT NULL,
	`system_id` integer NOT NULL,
	`friend_system_id` integer NOT NULL,
	`name` text,
	`notify_me` integer DEFAULT false NOT NULL,
	`see_front` integer DEFAULT true NOT NULL,
	`see_members` integer DEFAULT false NOT NULL,
	`announce` integer DEFAULT true NOT NULL,
	`last_notified_hash` text,
	`visible_hash` text,
	`notify_at` integer,
	PRIMARY KEY(`friendship_id`, `system_id`),
	FOREIGN KEY (`friendship_id`) REFERENCES `friendships`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`friend_system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `friend_sides_by_system` ON `friend_sides` (`system_id`,`friend_system_id`);--> statement-breakpoint
CREATE INDEX `friend_sides_by_friend` ON `friend_sides` (`friend_system_id`);--> statement-breakpoint
CREATE INDEX `friend_sides_by_notify_at` ON `friend_sides` (`notify_at`) WHERE "friend_sides"."notify_at" is not null;--> statement-breakpoint
CREATE TABLE `friendships` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`created` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `friendships_uuid_unique` ON `friendships` (`uuid`);--> statement-breakpoint
CREATE TRIGGER `bucket_members_invalidate_insert` AFTER INSERT ON `bucket_members` BEGIN DELETE FROM `rendered_member_ext` WHERE id = NEW.member_id; END;--> statement-breakpoint
CREATE TRIGGER `bucket_members_invalidate_delete` AFTER DELETE ON `bucket_members` BEGIN DELETE FROM `rendered_member_ext` WHERE id = OLD.member_id; END;
