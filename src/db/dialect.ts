/**
 * Where the engines differ in their words for the same. Whatever is not here is written once, in
 * words that both know.
 */
export interface Dialect {
  /** The placeholder of the value with that number. */
  placeholder(at: number): string
  /** A count, as a number. */
  count(what?: string): string
  /** How often one number is contained in another. */
  floorDiv(value: string, unit: number): string
  /** How many bytes all of it takes. */
  readonly databaseSize: string
  /** The greater of two; the lesser. Neither may be null. */
  max(a: string, b: string): string
  min(a: string, b: string): string
  /** A text as the bytes that are sent. */
  bytes(text: string): string
  /** How many bytes a text has. */
  size(text: string): string
  /** Texts of rows, with commas between them. */
  groupConcat(text: string): string
  /** A JSON list of the numbers in rows, or of texts without anything to escape, in an order. */
  jsonNumbers(value: string, rows: string, order: string): string
  jsonTexts(value: string, rows: string, order: string): string
  /** A text as JSON; null as JSON's null. */
  jsonString(text: string): string
  /** Whether a text, or a number, is in a JSON list; found by an index. */
  inJsonTexts(text: string, list: string): string
  inJsonNumbers(number: string, list: string): string
  /** The elements of a JSON list as rows of `name`, each with its `value`. */
  jsonEach(list: string, name: string): string
  /** The place of such an element, from 0 on; and an element that is a number. */
  jsonIndex(name: string): string
  jsonNumber(name: string): string
  /** A value that is a number, where the engine could not know. */
  number(value: string): string
  /** A text or a number at a place of an element that is itself a list. */
  jsonTextAt(element: string, at: number): string
  jsonNumberAt(element: string, at: number): string
  /** A list at a place of an element. */
  jsonListAt(element: string, at: number): string
  /** What is found by the order of the tables: the first is gone through, the second looked up. */
  readonly orderedJoin: string
  /** What names every row of a table, while nothing is changed. */
  rowId(table: string): string
  /**
   * Behind a query whose columns are used more than once: each is found once. Behind a query in
   * `exists`: it looks up one row of the outer query after the other, whatever the statistics say.
   */
  readonly fence: string
  /** ISO 8601 of an instant in microseconds, as `formatInstant` writes it. */
  isoTimestamp(instant: string): string
  /** Milliseconds by the engine's clock, which is the same for all who ask. */
  readonly nowMs: string
  /** The largest number that was ever given to an event. */
  readonly lastEvent: string
  /** Whether statements that follow each other without a pause see the same moment. */
  readonly hasStableReads: boolean
  /** How many of the newest numbers of events may not be committed yet. */
  readonly maxUncommittedIds: number
  /** A query of the rows in a JSON list of objects: these columns of that table. */
  rowsIn(list: string, table: string, columns: readonly string[]): string
  /** The largest number that was ever given to a row of the table. */
  lastSequence(table: string): string
  /** Statements after which none up to `:number` is given any more. */
  advanceSequence(table: string): readonly string[]
  /** Keeps all other writers out until the transaction ends; null where that is so anyway. */
  readonly exclusiveLock: string | null
  /** Behind a row that is selected: nobody else changes it until this transaction ends. */
  readonly forUpdate: string
  /** The same, but a row that somebody else holds is left out. */
  readonly forUpdateSkipLocked: string
}

export const sqliteDialect: Dialect = {
  placeholder: (at) => `?${at}`,
  count: (what = '*') => `count(${what})`,
  floorDiv: (value, unit) => `${value} / ${unit}`,
  databaseSize: '(select page_count * page_size from pragma_page_count(), pragma_page_size())',
  max: (a, b) => `max(${a}, ${b})`,
  min: (a, b) => `min(${a}, ${b})`,
  bytes: (text) => `cast(${text} as blob)`,
  size: (text) => `octet_length(${text})`,
  groupConcat: (text) => `group_concat(${text})`,
  jsonNumbers: listInOrder,
  jsonTexts: listInOrder,
  jsonString: (text) => `json_quote(${text})`,
  inJsonTexts: inJson,
  inJsonNumbers: inJson,
  jsonEach: (list, name) => `json_each(${list}) ${name}`,
  jsonIndex: (name) => `${name}.key`,
  jsonNumber: (name) => `${name}.value`,
  number: (value) => value,
  jsonTextAt: (element, at) => `(${element} ->> ${at})`,
  jsonNumberAt: (element, at) => `(${element} ->> ${at})`,
  jsonListAt: (element, at) => `(${element} -> ${at})`,
  orderedJoin: 'cross join',
  rowId: () => 'rowid',
  fence: '',
  isoTimestamp(instant) {
    const micros = `(((${instant}) % 1000000 + 1000000) % 1000000)`
    const date = `strftime('%Y-%m-%dT%H:%M:%S', ((${instant}) - ${micros}) / 1000000, 'unixepoch')`
    return `(${date} || rtrim(rtrim(printf('.%06d', ${micros}), '0'), '.') || 'Z')`
  },
  nowMs: `cast((julianday('now') - 2440587.5) * 86400000 as integer)`,
  lastEvent: `(select seq from sqlite_sequence where name = 'events')`,
  hasStableReads: true,
  maxUncommittedIds: 0,
  rowsIn: (list, _table, columns) =>
    `select ${columns.map((name) => `value ->> '${name}'`).join()} from json_each(${list})`,
  lastSequence: (table) => `coalesce((select seq from sqlite_sequence where name = '${table}'), 0)`,
  advanceSequence: (table) => [
    `update sqlite_sequence set seq = max(seq, :number) where name = '${table}'`,
    `insert into sqlite_sequence (name, seq) select '${table}', :number
     where not exists (select 1 from sqlite_sequence where name = '${table}')`,
  ],
  exclusiveLock: null,
  forUpdate: '',
  forUpdateSkipLocked: '',
}

function inJson(value: string, list: string): string {
  return `${value} in (select value from json_each(${list}))`
}

/** The order of the rows costs nothing where an index has it; one of the list's own always sorts. */
function listInOrder(value: string, rows: string, order: string): string {
  return `(select json_group_array(value) from (select ${value} as value from ${rows} order by ${order}))`
}

export const postgresDialect: Dialect = {
  placeholder: (at) => `$${at}`,
  count: (what = '*') => `count(${what})::float8`,
  floorDiv: (value, unit) => `floor(${value} / ${unit})`,
  databaseSize: 'pg_database_size(current_database())::float8',
  max: (a, b) => `greatest(${a}, ${b})`,
  min: (a, b) => `least(${a}, ${b})`,
  bytes: (text) => `convert_to(${text}, 'UTF8')`,
  size: (text) => `octet_length(${text})::float8`,
  groupConcat: (text) => `string_agg(${text}, ',')`,
  jsonNumbers: (value, rows, order) =>
    `(select '[' || coalesce(string_agg(${value}::text, ',' order by ${order}), '') || ']' from ${rows})`,
  jsonTexts: (value, rows, order) =>
    `(select '[' || coalesce(string_agg('"' || ${value} || '"', ',' order by ${order}), '') || ']' from ${rows})`,
  jsonString: (text) => `coalesce(to_json(${text})::text, 'null')`,
  // As an array: beside an "or", a list of rows would be looked for in the whole table.
  inJsonTexts: (text, list) =>
    `${text} = any(array(select json_array_elements_text((${list})::text::json)))`,
  inJsonNumbers: (number, list) =>
    `${number} = any(array(select json_array_elements_text((${list})::text::json)::float8))`,
  jsonEach: (list, name) =>
    `json_array_elements((${list})::text::json) with ordinality ${name}(value, nth)`,
  jsonIndex: (name) => `(${name}.nth - 1)::float8`,
  jsonNumber: (name) => `(${name}.value #>> '{}')::float8`,
  number: (value) => `(${value})::float8`,
  jsonTextAt: (element, at) => `(${element} ->> ${at})`,
  jsonNumberAt: (element, at) => `(${element} ->> ${at})::float8`,
  jsonListAt: (element, at) => `(${element} -> ${at})`,
  orderedJoin: 'join',
  // Messages lie in several parts, in each of which a row may have the same place.
  rowId: (table) => (table === 'messages' ? 'id' : 'ctid'),
  fence: 'offset 0',
  isoTimestamp(instant) {
    // Of whole numbers: a fraction of a number as large would not be exact.
    const floorDiv = `(${instant})::int8`
    const micros = `((${floorDiv} % 1000000 + 1000000) % 1000000)`
    const date = `to_char(timestamp 'epoch' + (${floorDiv} - ${micros}) / 1000000 * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS')`
    return `(${date} || rtrim(rtrim('.' || lpad(${micros}::text, 6, '0'), '0'), '.') || 'Z')`
  },
  nowMs: `(extract(epoch from clock_timestamp()) * 1000)::float8`,
  lastEvent: `greatest((select max(id) from events), (select max(newest) from pruned_events))`,
  hasStableReads: false,
  maxUncommittedIds: 100,
  rowsIn: (list, table, columns) =>
    `select ${columns.join()} from json_populate_recordset(null::${table}, (${list})::text::json)`,
  lastSequence: (table) =>
    `(select case when is_called then last_value else 0 end from ${table}_id_seq)::float8`,
  advanceSequence: (table) => [
    `select setval('${table}_id_seq', greatest(last_value, :number::int8))::float8
     from ${table}_id_seq where :number::int8 > 0`,
  ],
  exclusiveLock: 'lock table systems, bots in exclusive mode',
  forUpdate: 'for no key update',
  forUpdateSkipLocked: 'for no key update skip locked',
}
