create index posts_by_unread_count
  on posts (system_id, written, id, for_member, import_id, room_id, read)
  where (room_id is null and read = 0);
