/** SQL expressions that differ between the engines. All other SQL is the same on both. */
export interface TextDialect {
  /** Placeholder of the value at this position, starting at 1. */
  placeholder(at: number): string
  /** `count(…)`, converted to a JavaScript number. */
  count(what?: string): string
  /** Integer division. */
  floorDiv(value: string, unit: number): string
  /** Size of the database in bytes. */
  readonly databaseSize: string
  /** Maximum and minimum of two values, neither of them null. */
  max(a: string, b: string): string
  min(a: string, b: string): string
  /** UTF-8 bytes of a text. */
  bytes(text: string): string
  /** Text without a number of characters at its beginning, which are ASCII. */
  asciiTail(text: string, count: string): string
  /** Length of a text in bytes. */
  size(text: string): string
  /** Concatenates the texts of rows, separated by commas. */
  groupConcat(text: string): string
  /** Ordered JSON array of the numbers of rows, or of texts that need no escaping. */
  jsonNumbers(value: string, rows: string, order: string): string
  jsonTexts(value: string, rows: string, order: string): string
  /** JSON string of a text; JSON null for null. */
  jsonString(text: string): string
  /** Condition that a text or number is in a JSON array; can use an index on the column. */
  inJsonTexts(text: string, list: string): string
  inJsonNumbers(number: string, list: string): string
  /** Elements of a JSON array as rows of `name`, each with its `value`. */
  jsonEach(list: string, name: string): string
  /** Index of such an element, starting at 0; and the value of a numeric element. */
  jsonIndex(name: string): string
  jsonNumber(name: string): string
  /** Casts a value to a number if the engine cannot infer its type. */
  number(value: string): string
  /** Text or number at an index of an element that is itself an array. */
  jsonTextAt(element: string, at: number): string
  jsonNumberAt(element: string, at: number): string
  /** Array at an index of such an element. */
  jsonListAt(element: string, at: number): string
  /** Join that scans the left table and looks up the right one, in this order. */
  readonly orderedJoin: string
  /** Identifier of a row, valid until the row changes. */
  rowId(table: string): string
  /**
   * Optimization fence after a subquery: its columns are computed once even if used several times.
   * In `exists`, the subquery runs once per outer row, whatever the statistics say.
   */
  readonly fence: string
  /** ISO 8601 text of an instant in microseconds, as `formatInstant` formats it. */
  isoTimestamp(instant: string): string
  /** Milliseconds of the engine's clock, which all nodes share. */
  readonly nowMs: string
  /** Highest ID that was assigned to an event. */
  readonly lastEvent: string
  /** Whether consecutive statements without a pause read the same snapshot. */
  readonly hasStableReads: boolean
  /** Number of the newest event IDs that may not be committed yet. */
  readonly maxUncommittedIds: number
  /** Query of the rows in a JSON array of objects: these columns of this table. */
  rowsIn(list: string, table: string, columns: readonly string[]): string
  /** Highest ID that was assigned to a row of the table. */
  lastSequence(table: string): string
  /** Statements that make the sequence skip all IDs up to `:number`. */
  advanceSequence(table: string): readonly string[]
  /** Blocks all other writers until the transaction ends; null if every transaction does. */
  readonly exclusiveLock: string | null
  /** After a select: locks its rows until this transaction ends. */
  readonly forUpdate: string
  /** The same, but skips rows that another transaction has locked. */
  readonly forUpdateSkipLocked: string
}

export const sqliteTextDialect: TextDialect = {
  placeholder: (at) => `?${at}`,
  count: (what = '*') => `count(${what})`,
  floorDiv: (value, unit) => `${value} / ${unit}`,
  databaseSize: '(select page_count * page_size from pragma_page_count(), pragma_page_size())',
  max: (a, b) => `max(${a}, ${b})`,
  min: (a, b) => `min(${a}, ${b})`,
  bytes: (text) => `cast(${text} as blob)`,
  // SQLite would count the characters of a text up to its end.
  asciiTail: (text, count) => `substr(cast(${text} as blob), 1 + ${count})`,
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

/**
 * Orders the rows in a subquery, which may use an index; `order by` inside an aggregate always
 * sorts.
 */
function listInOrder(value: string, rows: string, order: string): string {
  return `(select json_group_array(value) from (select ${value} as value from ${rows} order by ${order}))`
}

export const postgresTextDialect: TextDialect = {
  placeholder: (at) => `$${at}`,
  count: (what = '*') => `count(${what})::float8`,
  floorDiv: (value, unit) => `floor(${value} / ${unit})`,
  databaseSize: 'pg_database_size(current_database())::float8',
  max: (a, b) => `greatest(${a}, ${b})`,
  min: (a, b) => `least(${a}, ${b})`,
  bytes: (text) => `convert_to(${text}, 'UTF8')`,
  asciiTail: (text, count) => `substr(${text}, 1 + ${count})`,
  size: (text) => `octet_length(${text})::float8`,
  groupConcat: (text) => `string_agg(${text}, ',')`,
  jsonNumbers: (value, rows, order) =>
    `(select '[' || coalesce(string_agg(${value}::text, ',' order by ${order}), '') || ']' from ${rows})`,
  jsonTexts: (value, rows, order) =>
    `(select '[' || coalesce(string_agg('"' || ${value} || '"', ',' order by ${order}), '') || ']' from ${rows})`,
  jsonString: (text) => `coalesce(to_json(${text})::text, 'null')`,
  // An array, because a subquery beside an "or" would scan the whole table.
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
  // `messages` is partitioned, and a ctid is unique within one partition only.
  rowId: (table) => (table === 'messages' ? 'id' : 'ctid'),
  fence: 'offset 0',
  isoTimestamp(instant) {
    // Integers, because floating-point numbers of this size have no exact fractions.
    const integer = `(${instant})::int8`
    const micros = `((${integer} % 1000000 + 1000000) % 1000000)`
    const date = `to_char(timestamp 'epoch' + (${integer} - ${micros}) / 1000000 * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS')`
    return `(${date} || rtrim(rtrim('.' || lpad(${micros}::text, 6, '0'), '0'), '.') || 'Z')`
  },
  nowMs: `(extract(epoch from clock_timestamp()) * 1000)::float8`,
  lastEvent: `greatest((select max(id) from events), (select max(last_event_id) from pruned_events))`,
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
