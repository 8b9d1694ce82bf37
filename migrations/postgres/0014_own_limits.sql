alter table settings
  alter member_limit drop not null,
  alter member_limit drop default,
  alter group_limit drop not null,
  alter group_limit drop default;

update settings set member_limit = nullif(member_limit, 1000), group_limit = nullif(group_limit, 250)
  where member_limit = 1000 or group_limit = 250;
