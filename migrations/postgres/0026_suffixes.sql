create index proxy_tag_index_with_suffix on proxy_tag_index (index_id) where (suffix <> '');
