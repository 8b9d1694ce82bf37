create table setup_codes (
  hash text collate "C" primary key,
  expires double precision not null
);
