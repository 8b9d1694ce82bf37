alter table discord_status add disconnected_at double precision;
