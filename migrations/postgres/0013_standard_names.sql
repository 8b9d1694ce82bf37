drop trigger system_changed on systems;
drop function forget_system_face();
alter table system_faces rename to rendered_systems;
alter table rendered_systems rename column shape to schema_hash;
alter table rendered_systems rename column own to owner_json;
alter table rendered_systems rename column others to public_json;
alter table rendered_systems rename constraint system_faces_pkey to rendered_systems_pkey;
alter table rendered_systems rename constraint system_faces_id_fkey to rendered_systems_id_fkey;
create function invalidate_rendered_systems() returns trigger language plpgsql as $$
begin
  delete from rendered_systems where id = new.id;
  return null;
end $$;
create trigger rendered_systems_invalidate_update after update on systems
for each row execute function invalidate_rendered_systems();

drop trigger member_changed on members;
drop function forget_member_face();
alter table member_faces rename to rendered_members;
alter table rendered_members rename column shape to schema_hash;
alter table rendered_members rename column own to owner_json;
alter table rendered_members rename column others to public_json;
alter table rendered_members rename constraint member_faces_pkey to rendered_members_pkey;
alter table rendered_members rename constraint member_faces_id_fkey to rendered_members_id_fkey;
create function invalidate_rendered_members() returns trigger language plpgsql as $$
begin
  delete from rendered_members where id = new.id;
  return null;
end $$;
create trigger rendered_members_invalidate_update after update on members
for each row execute function invalidate_rendered_members();

drop trigger group_changed on groups;
drop function forget_group_face();
alter table group_faces rename to rendered_groups;
alter table rendered_groups rename column shape to schema_hash;
alter table rendered_groups rename column own to owner_json;
alter table rendered_groups rename column others to public_json;
alter table rendered_groups rename constraint group_faces_pkey to rendered_groups_pkey;
alter table rendered_groups rename constraint group_faces_id_fkey to rendered_groups_id_fkey;
create function invalidate_rendered_groups() returns trigger language plpgsql as $$
begin
  delete from rendered_groups where id = new.id;
  return null;
end $$;
create trigger rendered_groups_invalidate_update after update on groups
for each row execute function invalidate_rendered_groups();

alter table marks rename to change_counters;
alter table change_counters rename column count to value;
alter table change_counters rename constraint marks_pkey to change_counters_pkey;
update change_counters set name = 'credentials' where name = 'keys';
update change_counters set name = 'webhooks' where name = 'hooks';

alter table reports rename to task_runs;
alter table task_runs rename constraint reports_pkey to task_runs_pkey;

alter table imports rename to pending_imports;
alter table pending_imports rename column place_id to staging_system_id;
alter table pending_imports rename column until to expires_at;
alter table pending_imports rename constraint imports_pkey to pending_imports_pkey;
alter table pending_imports rename constraint imports_system_id_fkey to pending_imports_system_id_fkey;
alter table pending_imports rename constraint imports_place_id_fkey to pending_imports_staging_system_id_fkey;
drop index imports_by_system;
drop index imports_by_place;
create index pending_imports_by_system on pending_imports (system_id);
create index pending_imports_by_staging_system on pending_imports (staging_system_id);
alter sequence imports_id_seq rename to pending_imports_id_seq;

alter table archive rename to import_archive;
alter table import_archive rename constraint archive_pkey to import_archive_pkey;
alter table import_archive rename constraint archive_system_id_fkey to import_archive_system_id_fkey;
drop index archive_by_digest;
drop index archive_by_import;
create unique index import_archive_by_digest on import_archive (system_id, collection, digest);
create index import_archive_by_import on import_archive (import_id) where import_id is not null;
alter sequence archive_id_seq rename to import_archive_id_seq;

alter table past_activity rename to last_activity;
alter table last_activity rename column at to active_at;
alter table last_activity rename constraint past_activity_pkey to last_activity_pkey;
alter table last_activity rename constraint past_activity_system_id_fkey to last_activity_system_id_fkey;

alter table pruned_events rename column newest to last_event_id;

alter table systems rename column forgotten_switches to deleted_through_switch_id;
alter table systems rename column made_on to created_on_platform;
alter table systems rename column tag_set to tag_index_id;
drop index systems_forgetting;
create index systems_with_deleted_switches on systems (deleted_through_switch_id) where deleted_through_switch_id > 0;

alter table proxy_tag_keys rename to proxy_tag_index;
alter table proxy_tag_index rename column set_id to index_id;
alter table proxy_tag_index rename column bare_key to trimmed_key;
alter table proxy_tag_index rename column gap to trimmed_spaces;
alter table proxy_tag_index rename column brackets to bracket_flags;
alter table proxy_tag_index rename constraint proxy_tag_keys_pkey to proxy_tag_index_pkey;
alter table proxy_tag_index rename constraint proxy_tag_keys_member_id_fkey to proxy_tag_index_member_id_fkey;
drop index proxy_tags_by_affixes;
drop index proxy_tags_in_any_case;
drop index proxy_tags_by_bare;
create index proxy_tag_index_by_affixes on proxy_tag_index (index_id, prefix, suffix, member_id, position);
create index proxy_tag_index_by_folded_affixes on proxy_tag_index (index_id, prefix_key, suffix_key, member_id, position);
create index proxy_tag_index_by_trimmed_key on proxy_tag_index (index_id, trimmed_key, bracket_flags, trimmed_spaces, member_id, position);
