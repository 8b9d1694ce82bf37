create sequence buckets_id_seq;
create table buckets (
  id double precision default nextval('buckets_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  name text collate "C" default '' not null,
  about text collate "C",
  color text collate "C",
  emoji text collate "C",
  position double precision default 0 not null,
  default_for text collate "C" default '[]' not null
);
alter sequence buckets_id_seq owned by buckets.id;
create index buckets_by_system on buckets (system_id, position, id);
create index buckets_by_import on buckets (import_id) where import_id is not null;
create table bucket_members (
  bucket_id double precision not null references buckets (id) on delete cascade,
  member_id double precision not null references members (id) on delete cascade,
  primary key (bucket_id, member_id)
);
create index bucket_members_by_member on bucket_members (member_id);
create trigger bucket_members_invalidate after insert or delete on bucket_members
for each row execute function invalidate_rendered_member_ext();
create table bucket_groups (
  bucket_id double precision not null references buckets (id) on delete cascade,
  group_id double precision not null references groups (id) on delete cascade,
  primary key (bucket_id, group_id)
);
create index bucket_groups_by_group on bucket_groups (group_id);
create table bucket_fields (
  bucket_id double precision not null references buckets (id) on delete cascade,
  field_id double precision not null references fields (id) on delete cascade,
  primary key (bucket_id, field_id)
);
create index bucket_fields_by_field on bucket_fields (field_id);
create sequence friendships_id_seq;
create table friendships (
  id double precision default nextval('friendships_id_seq') primary key,
  uuid text collate "C" not null unique,
  created double precision not null
);
alter sequence friendships_id_seq owned by friendships.id;
create table friend_sides (
  friendship_id double precision not null references friendships (id) on delete cascade,
  system_id double precision not null references systems (id) on delete cascade,
  friend_system_id double precision not null references systems (id) on delete cascade,
  name text collate "C",
  notify_me smallint default 0 not null,
  see_front smallint default 1 not null,
  see_members smallint default 0 not null,
  announce smallint default 1 not null,
  last_notified_hash text collate "C",
  visible_hash text collate "C",
  notify_at double precision,
  primary key (friendship_id, system_id)
);
create unique index friend_sides_by_system on friend_sides (system_id, friend_system_id);
create index friend_sides_by_friend on friend_sides (friend_system_id);
create index friend_sides_by_notify_at on friend_sides (notify_at) where notify_at is not null;
create table bucket_friends (
  bucket_id double precision not null references buckets (id) on delete cascade,
  friendship_id double precision not null references friendships (id) on delete cascade,
  primary key (bucket_id, friendship_id)
);
create index bucket_friends_by_friendship on bucket_friends (friendship_id);
create sequence friend_invites_id_seq;
create table friend_invites (
  id double precision default nextval('friend_invites_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  hash text collate "C" not null unique,
  share text collate "C" not null,
  name text collate "C",
  expires double precision not null
);
alter sequence friend_invites_id_seq owned by friend_invites.id;
create index friend_invites_by_system on friend_invites (system_id);
create table friend_notify_due (
  system_id double precision primary key references systems (id) on delete cascade,
  due double precision not null,
  announces smallint not null,
  fronters_before text collate "C"
);
create index friend_notify_due_by_time on friend_notify_due (due);
