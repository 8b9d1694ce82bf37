create table discord_claims (
  id text collate "C" primary key,
  kind text collate "C" not null,
  state text collate "C" not null,
  node text collate "C" not null,
  at double precision not null,
  guild text collate "C",
  channel text collate "C" not null,
  thread text collate "C",
  sender text collate "C" not null,
  member text collate "C",
  digest text collate "C"
);
create index discord_claims_by_state on discord_claims (state, at);

create table discord_commands (
  application text collate "C" not null,
  scope text collate "C" not null,
  hash text collate "C" not null,
  primary key (application, scope)
);

create table discord_sessions (
  shard double precision primary key,
  shards double precision not null,
  session_id text collate "C" not null,
  resume_url text collate "C" not null,
  sequence double precision not null
);

create table discord_status (
  application text collate "C" primary key,
  name text collate "C" not null,
  node text collate "C" not null,
  at double precision not null,
  shards double precision not null,
  shards_ready double precision not null,
  guilds double precision not null,
  last_event double precision,
  problem text collate "C"
);

alter table guilds
  add log_channel text collate "C",
  add log_disabled_channels text collate "C" not null default '[]',
  add silent smallint not null default 0,
  add command_errors smallint not null default 1,
  add say_enabled smallint not null default 0;

drop index messages_by_system;
create index messages_by_system on messages (system_id, timestamp);
