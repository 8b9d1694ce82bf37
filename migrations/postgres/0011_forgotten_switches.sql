create sequence systems_id_seq;
create table systems (
  id double precision default nextval('systems_id_seq') primary key,
  uuid text collate "C" not null unique,
  hid text collate "C" not null unique,
  name text collate "C",
  description text collate "C",
  tag text collate "C",
  pronouns text collate "C",
  avatar_url text collate "C",
  banner text collate "C",
  color text collate "C",
  created double precision,
  webhook_url text collate "C",
  name_privacy text collate "C" not null default 'public',
  description_privacy text collate "C" not null default 'public',
  avatar_privacy text collate "C" not null default 'public',
  banner_privacy text collate "C" not null default 'public',
  pronoun_privacy text collate "C" not null default 'public',
  member_list_privacy text collate "C" not null default 'public',
  group_list_privacy text collate "C" not null default 'public',
  front_privacy text collate "C" not null default 'public',
  front_history_privacy text collate "C" not null default 'public',
  tag_set double precision,
  made_on text collate "C" default 'discord',
  forgotten_switches double precision not null default 0
);
create index systems_forgetting on systems (forgotten_switches) where forgotten_switches > 0;
create table settings (
  system_id double precision primary key references systems (id) on delete cascade,
  timezone text collate "C" not null default 'UTC',
  pings_enabled smallint not null default 1,
  latch_timeout double precision,
  member_default_private smallint not null default 0,
  group_default_private smallint not null default 0,
  show_private_info smallint not null default 1,
  member_limit double precision not null default 1000,
  group_limit double precision not null default 250,
  case_sensitive_proxy_tags smallint not null default 1,
  proxy_error_message_enabled smallint not null default 1,
  hid_display_split smallint not null default 0,
  hid_display_caps smallint not null default 0,
  hid_list_padding text collate "C" not null default 'off',
  proxy_switch text collate "C" not null default 'off',
  name_format text collate "C" not null default '{name} {tag}',
  description_templates text collate "C" not null default '[]',
  card_show_color_hex smallint not null default 0
);
create sequence members_id_seq;
create table members (
  id double precision default nextval('members_id_seq') primary key,
  uuid text collate "C" not null unique,
  hid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  name text collate "C" not null default '',
  display_name text collate "C",
  color text collate "C",
  birthday text collate "C",
  pronouns text collate "C",
  avatar_url text collate "C",
  webhook_avatar_url text collate "C",
  banner text collate "C",
  description text collate "C",
  created double precision,
  proxy_tags text collate "C" not null default '[]',
  keep_proxy smallint not null default 0,
  tts smallint not null default 0,
  autoproxy_enabled smallint not null default 1,
  message_count double precision not null default 0,
  last_message_timestamp double precision,
  visibility text collate "C" not null default 'public',
  name_privacy text collate "C" not null default 'public',
  description_privacy text collate "C" not null default 'public',
  birthday_privacy text collate "C" not null default 'public',
  pronoun_privacy text collate "C" not null default 'public',
  avatar_privacy text collate "C" not null default 'public',
  banner_privacy text collate "C" not null default 'public',
  metadata_privacy text collate "C" not null default 'public',
  proxy_privacy text collate "C" not null default 'public'
);
create index members_by_system on members (system_id);
create sequence groups_id_seq;
create table groups (
  id double precision default nextval('groups_id_seq') primary key,
  uuid text collate "C" not null unique,
  hid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  name text collate "C" not null default '',
  display_name text collate "C",
  description text collate "C",
  created double precision,
  icon text collate "C",
  banner text collate "C",
  color text collate "C",
  name_privacy text collate "C" not null default 'public',
  description_privacy text collate "C" not null default 'public',
  banner_privacy text collate "C" not null default 'public',
  icon_privacy text collate "C" not null default 'public',
  list_privacy text collate "C" not null default 'public',
  metadata_privacy text collate "C" not null default 'public',
  visibility text collate "C" not null default 'public'
);
create index groups_by_system on groups (system_id);
create table group_members (
  group_id double precision not null references groups (id) on delete cascade,
  member_id double precision not null references members (id) on delete cascade,
  primary key (group_id, member_id)
);
create index group_members_by_member on group_members (member_id);
create table proxy_tag_keys (
  member_id double precision not null references members (id) on delete cascade,
  set_id double precision not null,
  position double precision not null,
  prefix text collate "C" not null,
  suffix text collate "C" not null,
  prefix_key text collate "C" not null,
  suffix_key text collate "C" not null,
  bare_key text collate "C" not null,
  gap double precision not null,
  brackets double precision not null,
  primary key (member_id, set_id, position)
);
create index proxy_tags_by_affixes on proxy_tag_keys (set_id, prefix, suffix, member_id, position);
create index proxy_tags_in_any_case on proxy_tag_keys (set_id, prefix_key, suffix_key, member_id, position);
create index proxy_tags_by_bare on proxy_tag_keys (set_id, bare_key, brackets, gap, member_id, position);
create sequence switches_id_seq;
create table switches (
  id double precision default nextval('switches_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  timestamp double precision not null,
  import_id double precision
);
create unique index switches_by_time on switches (system_id, timestamp);
create index switches_by_import on switches (import_id) where import_id is not null;
create table switch_members (
  switch_id double precision not null references switches (id) on delete cascade,
  position double precision not null,
  member_id double precision not null references members (id) on delete cascade,
  primary key (switch_id, position)
);
create index switch_members_by_member on switch_members (member_id);
create table messages (
  id text collate "C" primary key,
  original text collate "C" not null,
  sender text collate "C" not null,
  channel text collate "C" not null,
  guild text collate "C",
  system_id double precision not null references systems (id) on delete cascade,
  member_id double precision references members (id) on delete set null,
  timestamp double precision not null
) partition by hash (id);
create table messages_0 partition of messages for values with (modulus 8, remainder 0);
create table messages_1 partition of messages for values with (modulus 8, remainder 1);
create table messages_2 partition of messages for values with (modulus 8, remainder 2);
create table messages_3 partition of messages for values with (modulus 8, remainder 3);
create table messages_4 partition of messages for values with (modulus 8, remainder 4);
create table messages_5 partition of messages for values with (modulus 8, remainder 5);
create table messages_6 partition of messages for values with (modulus 8, remainder 6);
create table messages_7 partition of messages for values with (modulus 8, remainder 7);
create index messages_by_original on messages (original);
create index messages_by_system on messages (system_id);
create index messages_by_member on messages (member_id);
create sequence tokens_id_seq;
create table tokens (
  id double precision default nextval('tokens_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  name text collate "C" not null,
  hash text collate "C" not null unique,
  created double precision not null,
  scope text collate "C" not null default 'full',
  expires double precision,
  last_used double precision,
  private_members smallint not null default 0
);
create unique index tokens_by_name on tokens (system_id, name);
create sequence sessions_id_seq;
create table sessions (
  id double precision default nextval('sessions_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  token_id double precision references tokens (id) on delete cascade,
  hash text collate "C" not null unique,
  name text collate "C" not null,
  created double precision not null,
  last_used double precision not null,
  expires double precision not null,
  remember smallint not null
);
create index sessions_by_system on sessions (system_id);
create index sessions_by_token on sessions (token_id);
create index sessions_by_end on sessions (expires);
create sequence login_codes_id_seq;
create table login_codes (
  id double precision default nextval('login_codes_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  hash text collate "C" not null unique,
  expires double precision not null
);
create index login_codes_by_system on login_codes (system_id);
create index login_codes_by_end on login_codes (expires);
create sequence bots_id_seq;
create table bots (
  id double precision default nextval('bots_id_seq') primary key,
  name text collate "C" not null unique,
  hash text collate "C" not null unique,
  created double precision not null,
  platform text collate "C" not null default 'discord'
);
create sequence link_codes_id_seq;
create table link_codes (
  id double precision default nextval('link_codes_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  hash text collate "C" not null unique,
  expires double precision not null
);
create index link_codes_by_system on link_codes (system_id);
create index link_codes_by_end on link_codes (expires);
create sequence link_failures_id_seq;
create table link_failures (
  id double precision default nextval('link_failures_id_seq') primary key,
  account_id text collate "C" not null,
  at double precision not null
);
create index link_failures_by_account on link_failures (account_id, at);
create index link_failures_by_time on link_failures (at);
create table accounts (
  id text collate "C" primary key,
  system_id double precision not null references systems (id) on delete cascade,
  autoproxy_enabled smallint not null default 1,
  imported smallint not null default 0
);
create index accounts_by_system on accounts (system_id);
create table system_guilds (
  system_id double precision not null references systems (id) on delete cascade,
  guild_id text collate "C" not null,
  proxying_enabled smallint not null default 1,
  tag text collate "C",
  tag_enabled smallint not null default 1,
  avatar_url text collate "C",
  display_name text collate "C",
  name_format text collate "C",
  primary key (system_id, guild_id)
);
create table member_guilds (
  member_id double precision not null references members (id) on delete cascade,
  guild_id text collate "C" not null,
  display_name text collate "C",
  avatar_url text collate "C",
  keep_proxy smallint,
  primary key (member_id, guild_id)
);
create table autoproxy (
  system_id double precision not null references systems (id) on delete cascade,
  guild_id text collate "C" not null,
  autoproxy_mode text collate "C" not null default 'off',
  autoproxy_member double precision references members (id) on delete set null,
  last_latch_timestamp double precision,
  primary key (system_id, guild_id)
);
create index autoproxy_by_member on autoproxy (autoproxy_member);
create table guilds (
  guild_id text collate "C" primary key,
  disabled_channels text collate "C" not null default '[]',
  require_system_tag smallint not null default 0
);
create sequence events_id_seq;
create table events (
  id double precision default nextval('events_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  type text collate "C" not null,
  subject text collate "C",
  data text collate "C",
  at double precision not null
);
create index events_by_system on events (system_id, id);
create table pruned_events (
  system_id double precision primary key references systems (id) on delete cascade,
  newest double precision not null
);
create table webhooks (
  system_id double precision primary key references systems (id) on delete cascade,
  url text collate "C" not null,
  token text collate "C" not null,
  state text collate "C" not null,
  reason text collate "C",
  cursor double precision not null,
  failing_since double precision,
  attempts double precision not null default 0,
  next_attempt double precision,
  checked double precision,
  dropped double precision not null default 0
);
create sequence deliveries_id_seq;
create table deliveries (
  id double precision default nextval('deliveries_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  event_id double precision,
  type text collate "C" not null,
  at double precision not null,
  status double precision,
  error text collate "C",
  attempt double precision not null
);
create index deliveries_by_system on deliveries (system_id, id);
create sequence imports_id_seq;
create table imports (
  id double precision default nextval('imports_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  place_id double precision not null references systems (id) on delete cascade,
  until double precision not null
);
create index imports_by_system on imports (system_id);
create index imports_by_place on imports (place_id);
create sequence archive_id_seq;
create table archive (
  id double precision default nextval('archive_id_seq') primary key,
  system_id double precision not null references systems (id) on delete cascade,
  collection text collate "C" not null,
  content text collate "C" not null,
  digest text collate "C" not null,
  import_id double precision
);
create unique index archive_by_digest on archive (system_id, collection, digest);
create index archive_by_import on archive (import_id) where import_id is not null;
create table preferences (
  system_id double precision primary key references systems (id) on delete cascade,
  word text collate "C" not null
);
create table pinned_members (
  member_id double precision primary key references members (id) on delete cascade,
  position double precision not null
);
create table status_groups (
  group_id double precision primary key references groups (id) on delete cascade,
  position double precision not null
);
create table leases (
  name text collate "C" primary key,
  holder text collate "C" not null,
  until double precision not null
);
create table marks (
  name text collate "C" primary key,
  count double precision not null
);
create table system_faces (
  id double precision primary key references systems (id) on delete cascade,
  shape double precision not null,
  own text collate "C" not null,
  others text collate "C" not null
);
create table member_faces (
  id double precision primary key references members (id) on delete cascade,
  shape double precision not null,
  own text collate "C" not null,
  others text collate "C" not null
);
create table group_faces (
  id double precision primary key references groups (id) on delete cascade,
  shape double precision not null,
  own text collate "C" not null,
  others text collate "C" not null
);

create function forget_system_face() returns trigger language plpgsql as $$
begin
  delete from system_faces where id = new.id;
  return null;
end $$;
create trigger system_changed after update on systems
for each row execute function forget_system_face();

create function forget_member_face() returns trigger language plpgsql as $$
begin
  delete from member_faces where id = new.id;
  return null;
end $$;
create trigger member_changed after update on members
for each row execute function forget_member_face();

create function forget_group_face() returns trigger language plpgsql as $$
begin
  delete from group_faces where id = new.id;
  return null;
end $$;
create trigger group_changed after update on groups
for each row execute function forget_group_face();
