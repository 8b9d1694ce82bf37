DROP TRIGGER `system_made`;--> statement-breakpoint
DROP TRIGGER `system_changed`;--> statement-breakpoint
DROP TRIGGER `member_made`;--> statement-breakpoint
DROP TRIGGER `member_changed`;--> statement-breakpoint
DROP TRIGGER `group_made`;--> statement-breakpoint
DROP TRIGGER `group_changed`;--> statement-breakpoint
ALTER TABLE `system_faces` RENAME TO `rendered_systems`;--> statement-breakpoint
ALTER TABLE `rendered_systems` RENAME COLUMN `shape` TO `schema_hash`;--> statement-breakpoint
ALTER TABLE `rendered_systems` RENAME COLUMN `own` TO `owner_json`;--> statement-breakpoint
ALTER TABLE `rendered_systems` RENAME COLUMN `others` TO `public_json`;--> statement-breakpoint
ALTER TABLE `member_faces` RENAME TO `rendered_members`;--> statement-breakpoint
ALTER TABLE `rendered_members` RENAME COLUMN `shape` TO `schema_hash`;--> statement-breakpoint
ALTER TABLE `rendered_members` RENAME COLUMN `own` TO `owner_json`;--> statement-breakpoint
ALTER TABLE `rendered_members` RENAME COLUMN `others` TO `public_json`;--> statement-breakpoint
ALTER TABLE `group_faces` RENAME TO `rendered_groups`;--> statement-breakpoint
ALTER TABLE `rendered_groups` RENAME COLUMN `shape` TO `schema_hash`;--> statement-breakpoint
ALTER TABLE `rendered_groups` RENAME COLUMN `own` TO `owner_json`;--> statement-breakpoint
ALTER TABLE `rendered_groups` RENAME COLUMN `others` TO `public_json`;--> statement-breakpoint
CREATE TRIGGER `rendered_systems_invalidate_insert` AFTER INSERT ON `systems` BEGIN DELETE FROM `rendered_systems` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `rendered_systems_invalidate_update` AFTER UPDATE ON `systems` BEGIN DELETE FROM `rendered_systems` WHERE id IN (OLD.id, NEW.id); END;--> statement-breakpoint
CREATE TRIGGER `rendered_members_invalidate_insert` AFTER INSERT ON `members` BEGIN DELETE FROM `rendered_members` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `rendered_members_invalidate_update` AFTER UPDATE ON `members` BEGIN DELETE FROM `rendered_members` WHERE id IN (OLD.id, NEW.id); END;--> statement-breakpoint
CREATE TRIGGER `rendered_groups_invalidate_insert` AFTER INSERT ON `groups` BEGIN DELETE FROM `rendered_groups` WHERE id = NEW.id; END;--> statement-breakpoint
CREATE TRIGGER `rendered_groups_invalidate_update` AFTER UPDATE ON `groups` BEGIN DELETE FROM `rendered_groups` WHERE id IN (OLD.id, NEW.id); END;--> statement-breakpoint
ALTER TABLE `marks` RENAME TO `change_counters`;--> statement-breakpoint
ALTER TABLE `change_counters` RENAME COLUMN `count` TO `value`;--> statement-breakpoint
UPDATE `change_counters` SET `name` = 'credentials' WHERE `name` = 'keys';--> statement-breakpoint
UPDATE `change_counters` SET `name` = 'webhooks' WHERE `name` = 'hooks';--> statement-breakpoint
ALTER TABLE `reports` RENAME TO `task_runs`;--> statement-breakpoint
DROP INDEX `imports_by_system`;--> statement-breakpoint
DROP INDEX `imports_by_place`;--> statement-breakpoint
ALTER TABLE `imports` RENAME TO `pending_imports`;--> statement-breakpoint
ALTER TABLE `pending_imports` RENAME COLUMN `place_id` TO `staging_system_id`;--> statement-breakpoint
ALTER TABLE `pending_imports` RENAME COLUMN `until` TO `expires_at`;--> statement-breakpoint
CREATE INDEX `pending_imports_by_system` ON `pending_imports` (`system_id`);--> statement-breakpoint
CREATE INDEX `pending_imports_by_staging_system` ON `pending_imports` (`staging_system_id`);--> statement-breakpoint
DROP INDEX `archive_by_digest`;--> statement-breakpoint
DROP INDEX `archive_by_import`;--> statement-breakpoint
ALTER TABLE `archive` RENAME TO `import_archive`;--> statement-breakpoint
CREATE UNIQUE INDEX `import_archive_by_digest` ON `import_archive` (`system_id`,`collection`,`digest`);--> statement-breakpoint
CREATE INDEX `import_archive_by_import` ON `import_archive` (`import_id`) WHERE "import_archive"."import_id" is not null;--> statement-breakpoint
ALTER TABLE `past_activity` RENAME TO `last_activity`;--> statement-breakpoint
ALTER TABLE `last_activity` RENAME COLUMN `at` TO `active_at`;--> statement-breakpoint
ALTER TABLE `pruned_events` RENAME COLUMN `newest` TO `last_event_id`;--> statement-breakpoint
DROP INDEX `systems_forgetting`;--> statement-breakpoint
ALTER TABLE `systems` RENAME COLUMN `forgotten_switches` TO `deleted_through_switch_id`;--> statement-breakpoint
ALTER TABLE `systems` RENAME COLUMN `made_on` TO `created_on_platform`;--> statement-breakpoint
ALTER TABLE `systems` RENAME COLUMN `tag_set` TO `tag_index_id`;--> statement-breakpoint
CREATE INDEX `systems_with_deleted_switches` ON `systems` (`deleted_through_switch_id`) WHERE "systems"."deleted_through_switch_id" > 0;--> statement-breakpoint
DROP INDEX `proxy_tags_by_affixes`;--> statement-breakpoint
DROP INDEX `proxy_tags_in_any_case`;--> statement-breakpoint
DROP INDEX `proxy_tags_by_bare`;--> statement-breakpoint
ALTER TABLE `proxy_tag_keys` RENAME TO `proxy_tag_index`;--> statement-breakpoint
ALTER TABLE `proxy_tag_index` RENAME COLUMN `set_id` TO `index_id`;--> statement-breakpoint
ALTER TABLE `proxy_tag_index` RENAME COLUMN `bare_key` TO `trimmed_key`;--> statement-breakpoint
ALTER TABLE `proxy_tag_index` RENAME COLUMN `gap` TO `trimmed_spaces`;--> statement-breakpoint
ALTER TABLE `proxy_tag_index` RENAME COLUMN `brackets` TO `bracket_flags`;--> statement-breakpoint
CREATE INDEX `proxy_tag_index_by_affixes` ON `proxy_tag_index` (`index_id`,`prefix`,`suffix`,`member_id`,`position`);--> statement-breakpoint
CREATE INDEX `proxy_tag_index_by_folded_affixes` ON `proxy_tag_index` (`index_id`,`prefix_key`,`suffix_key`,`member_id`,`position`);--> statement-breakpoint
CREATE INDEX `proxy_tag_index_by_trimmed_key` ON `proxy_tag_index` (`index_id`,`trimmed_key`,`bracket_flags`,`trimmed_spaces`,`member_id`,`position`);
