create table server_keys (
  name text collate "C" primary key,
  private_jwk text collate "C" not null,
  public_key text collate "C" not null,
  created double precision not null
);
create sequence push_targets_id_seq;
create table push_targets (
  id double precision default nextval('push_targets_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  session_id double precision references sessions (id) on delete cascade,
  token_id double precision references tokens (id) on delete cascade,
  endpoint text collate "C" not null,
  endpoint_hash text collate "C" not null unique,
  p256dh text collate "C" not null,
  auth text collate "C" not null,
  label text collate "C" default '' not null,
  wants text collate "C" default '[]' not null,
  shows_names smallint default 1 not null,
  created double precision,
  last_ok double precision,
  failing_since double precision
);
alter sequence push_targets_id_seq owned by push_targets.id;
create index push_targets_by_system on push_targets (system_id);
create index push_targets_by_session on push_targets (session_id);
create index push_targets_by_token on push_targets (token_id);
create sequence push_queue_id_seq;
create table push_queue (
  id double precision default nextval('push_queue_id_seq') primary key,
  target_id double precision not null references push_targets (id) on delete cascade,
  kind text collate "C" not null,
  subject text collate "C" not null,
  due double precision default 0 not null,
  attempts double precision default 0 not null,
  revision double precision default 1 not null
);
alter sequence push_queue_id_seq owned by push_queue.id;
create unique index push_queue_by_subject on push_queue (target_id, kind, subject);
create index push_queue_by_time on push_queue (due, id);
