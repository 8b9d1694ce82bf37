create table poll_vote_counts (
  poll_id double precision not null references polls (id) on delete cascade,
  option_id text collate "C" not null,
  votes double precision not null,
  primary key (poll_id, option_id)
);
insert into poll_vote_counts (poll_id, option_id, votes)
  select poll_id, option_id, count(*) from poll_votes group by poll_id, option_id;
create function count_added_votes() returns trigger language plpgsql as $$
begin
  insert into poll_vote_counts (poll_id, option_id, votes)
    select poll_id, option_id, count(*) from changed group by poll_id, option_id
    on conflict (poll_id, option_id) do update set votes = poll_vote_counts.votes + excluded.votes;
  return null;
end $$;
create function count_removed_votes() returns trigger language plpgsql as $$
begin
  update poll_vote_counts c set votes = c.votes - gone.votes
    from (select poll_id, option_id, count(*) as votes from changed group by poll_id, option_id) gone
    where c.poll_id = gone.poll_id and c.option_id = gone.option_id;
  delete from poll_vote_counts c using (select distinct poll_id, option_id from changed) gone
    where c.poll_id = gone.poll_id and c.option_id = gone.option_id and c.votes <= 0;
  return null;
end $$;
create function count_moved_vote() returns trigger language plpgsql as $$
begin
  update poll_vote_counts set votes = votes - 1
    where poll_id = old.poll_id and option_id = old.option_id;
  delete from poll_vote_counts
    where poll_id = old.poll_id and option_id = old.option_id and votes <= 0;
  insert into poll_vote_counts (poll_id, option_id, votes) values (new.poll_id, new.option_id, 1)
    on conflict (poll_id, option_id) do update set votes = poll_vote_counts.votes + 1;
  return null;
end $$;
create trigger poll_votes_count_insert after insert on poll_votes
  referencing new table as changed for each statement execute function count_added_votes();
create trigger poll_votes_count_delete after delete on poll_votes
  referencing old table as changed for each statement execute function count_removed_votes();
create trigger poll_votes_count_update after update of poll_id, option_id on poll_votes
  for each row when ((old.poll_id, old.option_id) is distinct from (new.poll_id, new.option_id))
  execute function count_moved_vote();
create index front_notes_by_status_time on front_notes (system_id, at, id) where kind = 'status';
create index front_notes_by_comment_time on front_notes (system_id, at, id) where kind = 'comment';
create index front_notes_by_status_member on front_notes (member_id, kind, at, id)
  where kind = 'status';
create index front_notes_by_comment_member on front_notes (system_id, member_id, at, id)
  where kind = 'comment';
drop index posts_by_unread;
create index posts_by_unread on posts (system_id, for_member, import_id, room_id, read)
  where (room_id is null and read = 0);
create index posts_by_unread_time on posts (system_id, written, id)
  where (room_id is null and read = 0);
