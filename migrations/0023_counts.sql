CREATE TABLE `poll_vote_counts` (
	`poll_id` integer NOT NULL,
	`option_id` text NOT NULL,
	`votes` integer NOT NULL,
	PRIMARY KEY(`poll_id`, `option_id`),
	FOREIGN KEY (`poll_id`) REFERENCES `polls`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `poll_vote_counts` (`poll_id`, `option_id`, `votes`)
	SELECT `poll_id`, `option_id`, count(*) FROM `poll_votes` GROUP BY `poll_id`, `option_id`;--> statement-breakpoint
CREATE TRIGGER `poll_votes_count_insert` AFTER INSERT ON `poll_votes` BEGIN INSERT INTO `poll_vote_counts` (`poll_id`, `option_id`, `votes`) VALUES (NEW.poll_id, NEW.option_id, 1) ON CONFLICT (`poll_id`, `option_id`) DO UPDATE SET `votes` = `votes` + 1; END;--> statement-breakpoint
CREATE TRIGGER `poll_votes_count_delete` AFTER DELETE ON `poll_votes` BEGIN DELETE FROM `poll_vote_counts` WHERE `poll_id` = OLD.poll_id AND `option_id` = OLD.option_id AND `votes` = 1; UPDATE `poll_vote_counts` SET `votes` = `votes` - 1 WHERE `poll_id` = OLD.poll_id AND `option_id` = OLD.option_id; END;--> statement-breakpoint
CREATE TRIGGER `poll_votes_count_update` AFTER UPDATE OF `poll_id`, `option_id` ON `poll_votes` WHEN OLD.poll_id <> NEW.poll_id OR OLD.option_id <> NEW.option_id BEGIN DELETE FROM `poll_vote_counts` WHERE `poll_id` = OLD.poll_id AND `option_id` = OLD.option_id AND `votes` = 1; UPDATE `poll_vote_counts` SET `votes` = `votes` - 1 WHERE `poll_id` = OLD.poll_id AND `option_id` = OLD.option_id; INSERT INTO `poll_vote_counts` (`poll_id`, `option_id`, `votes`) VALUES (NEW.poll_id, NEW.option_id, 1) ON CONFLICT (`poll_id`, `option_id`) DO UPDATE SET `votes` = `votes` + 1; END;--> statement-breakpoint
DROP INDEX `posts_by_unread`;--> statement-breakpoint
CREATE INDEX `posts_by_unread_time` ON `posts` (`system_id`,`written`,`id`) WHERE ("posts"."room_id" is null and "posts"."read" = 0);--> statement-breakpoint
CREATE INDEX `posts_by_unread` ON `posts` (`system_id`,`for_member`,`import_id`,`room_id`,`read`) WHERE ("posts"."room_id" is null and "posts"."read" = 0);--> statement-breakpoint
CREATE INDEX `front_notes_by_status_time` ON `front_notes` (`system_id`,`at`,`id`) WHERE "front_notes"."kind" = 'status';--> statement-breakpoint
CREATE INDEX `front_notes_by_comment_time` ON `front_notes` (`system_id`,`at`,`id`) WHERE "front_notes"."kind" = 'comment';--> statement-breakpoint
CREATE INDEX `front_notes_by_status_member` ON `front_notes` (`member_id`,`kind`,`at`,`id`) WHERE "front_notes"."kind" = 'status';--> statement-breakpoint
CREATE INDEX `front_notes_by_comment_member` ON `front_notes` (`system_id`,`member_id`,`at`,`id`) WHERE "front_notes"."kind" = 'comment';