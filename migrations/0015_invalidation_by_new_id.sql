DROP TRIGGER `rendered_systems_invalidate_update`;--> statement-breakpoint
CREATE TRIGGER `rendered_systems_invalidate_update` AFTER UPDATE ON `systems` BEGIN DELETE FROM `rendered_systems` WHERE id = NEW.id; END;--> statement-breakpoint
DROP TRIGGER `rendered_members_invalidate_update`;--> statement-breakpoint
CREATE TRIGGER `rendered_members_invalidate_update` AFTER UPDATE ON `members` BEGIN DELETE FROM `rendered_members` WHERE id = NEW.id; END;--> statement-breakpoint
DROP TRIGGER `rendered_groups_invalidate_update`;--> statement-breakpoint
CREATE TRIGGER `rendered_groups_invalidate_update` AFTER UPDATE ON `groups` BEGIN DELETE FROM `rendered_groups` WHERE id = NEW.id; END;
