CREATE TABLE `group_faces` (
	`id` integer PRIMARY KEY NOT NULL,
	`shape` integer NOT NULL,
	`own` text NOT NULL,
	`others` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `member_faces` (
	`id` integer PRIMARY KEY NOT NULL,
	`shape` integer NOT NULL,
	`own` text NOT NULL,
	`others` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `system_faces` (
	`id` integer PRIMARY KEY NOT NULL,
	`shape` integer NOT NULL,
	`own` text NOT NULL,
	`others` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
CREATE TRIGGER `system_made` AFTER INSERT ON `systems` BEGIN DELETE FROM `system_faces` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `system_changed` AFTER UPDATE ON `systems` BEGIN DELETE FROM `system_faces` WHERE id IN (OLD.id, NEW.id); END;--> statement-breakpoint
CREATE TRIGGER `member_made` AFTER INSERT ON `members` BEGIN DELETE FROM `member_faces` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `member_changed` AFTER UPDATE ON `members` BEGIN DELETE FROM `member_faces` WHERE id IN (OLD.id, NEW.id); END;--> statement-breakpoint
CREATE TRIGGER `group_made` AFTER INSERT ON `groups` BEGIN DELETE FROM `group_faces` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `group_changed` AFTER UPDATE ON `groups` BEGIN DELETE FROM `group_faces` WHERE id IN (OLD.id, NEW.id); END;
