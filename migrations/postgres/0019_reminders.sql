create sequence reminders_id_seq;
create table reminders (
  id double precision default nextval('reminders_id_seq') primary key,
  uuid text collate "C" not null unique,
  system_id double precision not null references systems (id) on delete cascade,
  import_id double precision,
  name text collate "C" default '' not null,
  text text collate "C",
  kind text collate "C" default 'repeat' not null,
  every_days double precision,
  at text collate "C",
  "from" text collate "C",
  after double precision,
  "on" text collate "C",
  enabled smallint default 1 not null,
  due double precision,
  last_fired double precision,
  created double precision,
  due_switch_id double precision
);
alter sequence reminders_id_seq owned by reminders.id;
create index reminders_by_system on reminders (system_id, created, id);
create index reminders_by_due on reminders (due, id) where due is not null;
create index reminders_by_import on reminders (import_id) where import_id is not null;
