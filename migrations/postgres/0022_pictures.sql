create table pictures (
  name text collate "C" primary key,
  system_id double precision not null references systems (id) on delete cascade,
  type text collate "C" not null,
  size double precision not null,
  created double precision not null,
  unused_since double precision,
  bytes text collate "C" not null
);
create index pictures_by_system on pictures (system_id, name, size);
create index pictures_by_unused on pictures (unused_since) where unused_since is not null;
