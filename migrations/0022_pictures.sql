CREATE TABLE `pictures` (
	`name` text PRIMARY KEY NOT NULL,
	`system_id` integer NOT NULL,
	`type` text NOT NULL,
	`size` integer NOT NULL,
	`created` integer NOT NULL,
	`unused_since` integer,
	`bytes` text NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `pictures_by_system` ON `pictures` (`system_id`,`name`,`size`);--> statement-breakpoint
CREATE INDEX `pictures_by_unused` ON `pictures` (`unused_since`) WHERE "pictures"."unused_since" is not null;