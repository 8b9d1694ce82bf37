create table deleted_archives (
  system_id double precision not null references systems (id) on delete cascade,
  collection text collate "C" not null,
  through_id double precision not null,
  primary key (system_id, collection)
);
create table deleted_switches (
  system_id double precision not null references systems (id) on delete cascade,
  uuid text collate "C" not null,
  at double precision not null,
  primary key (system_id, uuid)
);
create index deleted_switches_by_system on deleted_switches (system_id, at);
create index deleted_switches_by_time on deleted_switches (at);
create table ext_settings (
  system_id double precision primary key references systems (id) on delete cascade,
  front_status_privacy text collate "C" default 'private' not null
);
create table ext_usage (
  system_id double precision primary key references systems (id) on delete cascade,
  text_bytes double precision default 0 not null,
  front_notes double precision default 0 not null,
  notes double precision default 0 not null,
  posts double precision default 0 not null
);
create sequence fields_id_seq;
create table fields (
  id double precision default nextval('fields_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  name text collate "C" default '' not null,
  type text collate "C" default 'text' not null,
  options text collate "C",
  privacy text collate "C" default 'private' not null,
  position double precision default 0 not null,
  created double precision
);
alter sequence fields_id_seq owned by fields.id;
create index fields_by_system on fields (system_id, position, id);
create index fields_by_import on fields (import_id) where import_id is not null;
create table field_values (
  member_id double precision not null references members (id) on delete cascade,
  field_id double precision not null references fields (id) on delete cascade,
  value text collate "C" not null,
  primary key (member_id, field_id)
);
create index field_values_by_field on field_values (field_id);
create sequence front_notes_id_seq;
create table front_notes (
  id double precision default nextval('front_notes_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  kind text collate "C" default 'status' not null,
  at double precision,
  text text collate "C",
  author_name text collate "C",
  created double precision,
  edited double precision,
  member_id double precision references members (id) on delete cascade,
  by_member double precision references members (id) on delete set null
);
alter sequence front_notes_id_seq owned by front_notes.id;
create unique index front_notes_by_status on front_notes (system_id, member_id, at) where kind = 'status';
create index front_notes_by_time on front_notes (system_id, at, id);
create index front_notes_by_member on front_notes (member_id, at);
create index front_notes_by_author on front_notes (by_member);
create index front_notes_by_import on front_notes (import_id) where import_id is not null;
create table group_ext (
  group_id double precision primary key references groups (id) on delete cascade,
  emoji text collate "C",
  position double precision default 0 not null,
  parent_id double precision references groups (id) on delete set null
);
create index group_ext_by_parent on group_ext (parent_id);
create table member_ext (
  member_id double precision primary key references members (id) on delete cascade,
  kind text collate "C" default 'member' not null,
  archived_at double precision,
  archived_reason text collate "C",
  announce_front smallint default 1 not null,
  about text collate "C"
);
create sequence notes_id_seq;
create table notes (
  id double precision default nextval('notes_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  author_name text collate "C",
  title text collate "C",
  text text collate "C",
  color text collate "C",
  date double precision,
  pinned smallint default 0 not null,
  created double precision,
  edited double precision,
  member_id double precision references members (id) on delete set null
);
alter sequence notes_id_seq owned by notes.id;
create index notes_by_date on notes (system_id, date, id);
create index notes_by_member on notes (member_id, date, id);
create index notes_by_import on notes (import_id) where import_id is not null;
create sequence origins_id_seq;
create table origins (
  id double precision default nextval('origins_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  app text collate "C" not null,
  collection text collate "C" not null,
  source_id text collate "C" not null,
  target text collate "C" not null,
  import_id double precision
);
alter sequence origins_id_seq owned by origins.id;
create unique index origins_by_source on origins (system_id, app, collection, source_id);
create index origins_by_import on origins (import_id) where import_id is not null;
create sequence polls_id_seq;
create table polls (
  id double precision default nextval('polls_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  name text collate "C" default '' not null,
  about text collate "C",
  options text collate "C",
  ends double precision,
  created double precision
);
alter sequence polls_id_seq owned by polls.id;
create index polls_by_time on polls (system_id, created, id);
create index polls_by_import on polls (import_id) where import_id is not null;
create sequence poll_votes_id_seq;
create table poll_votes (
  id double precision default nextval('poll_votes_id_seq') primary key,
  poll_id double precision not null references polls (id) on delete cascade,
  author_name text collate "C",
  comment text collate "C",
  created double precision,
  member_id double precision references members (id) on delete set null,
  option_id text collate "C" not null
);
alter sequence poll_votes_id_seq owned by poll_votes.id;
create unique index poll_votes_by_voter on poll_votes (poll_id, member_id);
create index poll_votes_by_member on poll_votes (member_id);
create sequence rooms_id_seq;
create table rooms (
  id double precision default nextval('rooms_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  name text collate "C" default '' not null,
  about text collate "C",
  category text collate "C",
  position double precision default 0 not null,
  is_deleted smallint default 0 not null
);
alter sequence rooms_id_seq owned by rooms.id;
create index rooms_by_system on rooms (system_id, position, id);
create index rooms_by_deletion on rooms (id) where is_deleted = 1;
create index rooms_by_import on rooms (import_id) where import_id is not null;
create sequence posts_id_seq;
create table posts (
  id double precision default nextval('posts_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  author_name text collate "C",
  title text collate "C",
  text text collate "C" default '' not null,
  written double precision,
  edited double precision,
  reply_to text collate "C",
  read smallint default 0 not null,
  room_id double precision references rooms (id) on delete cascade,
  for_member double precision references members (id) on delete set null,
  by_member double precision references members (id) on delete set null
);
alter sequence posts_id_seq owned by posts.id;
create index posts_by_time on posts (system_id, written, id);
create index posts_by_room on posts (room_id, written, id);
create index posts_by_board on posts (system_id, for_member, written, id) where room_id is null;
create index posts_by_unread on posts (system_id, for_member) where (room_id is null and read = 0);
create index posts_by_recipient on posts (for_member);
create index posts_by_author on posts (by_member);
create index posts_by_import on posts (import_id) where import_id is not null;
alter table systems add deleted_through_status_id double precision default 0 not null;
create table rendered_member_ext (
  id double precision primary key references members (id) on delete cascade,
  schema_hash double precision not null,
  owner_json text collate "C" not null,
  public_json text collate "C" not null
);
create function invalidate_rendered_member_ext() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from rendered_member_ext where id = old.member_id;
  else
    delete from rendered_member_ext where id = new.member_id;
  end if;
  return null;
end $$;
create trigger member_ext_invalidate after insert or update or delete on member_ext
for each row execute function invalidate_rendered_member_ext();
create trigger field_values_invalidate after insert or update or delete on field_values
for each row execute function invalidate_rendered_member_ext();
create function invalidate_ext_of_member() returns trigger language plpgsql as $$
begin
  delete from rendered_member_ext where id = new.id;
  return null;
end $$;
create trigger members_invalidate_ext after update of visibility, description_privacy on members
for each row execute function invalidate_ext_of_member();
create function invalidate_values_of_field() returns trigger language plpgsql as $$
begin
  delete from rendered_member_ext
  where id in (select member_id from field_values where field_id = new.id);
  return null;
end $$;
create trigger fields_invalidate_values after update of uuid, privacy on fields
for each row execute function invalidate_values_of_field();
alter table import_archive add replaced_by double precision;
alter table import_archive add reader double precision default 0 not null;
create index import_archive_by_collection on import_archive (system_id, collection, id) where id > 0;
create index import_archive_by_replacement on import_archive (replaced_by) where replaced_by is not null;
alter table webhooks add events text collate "C" default 'pluralkit' not null;
insert into member_ext (member_id, kind)
  select distinct member_id, 'custom_front' from group_members
  where group_id in (select group_id from status_groups);
