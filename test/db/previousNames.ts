import { readFileSync } from 'node:fs'

interface PreviousExport {
  groups: { uuid: string; members: string[] }[]
  members: { id: string; uuid: string }[]
  multitude?: { preferences?: { statuses: string[] } }
}

type Row = Record<string, string | number | null>

/**
 * Rows of every table, and the export of every system, as the last version before
 * `0013_standard_names` wrote them.
 */
export const previous: { rows: Record<string, Row[]>; exports: Record<string, PreviousExport> } =
  JSON.parse(readFileSync(new URL('./fixtures/previousNames.json', import.meta.url), 'utf8'))

const rendered = { shape: 'schema_hash', own: 'owner_json', others: 'public_json' }

const renames: Record<string, { table?: string; columns?: Record<string, string> }> = {
  system_faces: { table: 'rendered_systems', columns: rendered },
  member_faces: { table: 'rendered_members', columns: rendered },
  group_faces: { table: 'rendered_groups', columns: rendered },
  marks: { table: 'change_counters', columns: { count: 'value' } },
  reports: { table: 'task_runs' },
  imports: {
    table: 'pending_imports',
    columns: { place_id: 'staging_system_id', until: 'expires_at' },
  },
  archive: { table: 'import_archive' },
  past_activity: { table: 'last_activity', columns: { at: 'active_at' } },
  pruned_events: { columns: { newest: 'last_event_id' } },
  systems: {
    columns: {
      forgotten_switches: 'deleted_through_switch_id',
      made_on: 'created_on_platform',
      tag_set: 'tag_index_id',
    },
  },
  proxy_tag_keys: {
    table: 'proxy_tag_index',
    columns: {
      set_id: 'index_id',
      bare_key: 'trimmed_key',
      gap: 'trimmed_spaces',
      brackets: 'bracket_flags',
    },
  },
}

const counters: Record<string, string> = { keys: 'credentials', hooks: 'webhooks' }

/** Default limits, which became null: the system has no limits of its own. */
const formerLimits: Row = { member_limit: 1000, group_limit: 250 }

/** Columns that later migrations added, with their defaults. */
const addedColumns: Record<string, Row> = {
  systems: { deleted_through_status_id: 0 },
  archive: { replaced_by: null, reader: 0 },
  webhooks: { events: 'pluralkit' },
  guilds: {
    log_channel: null,
    log_disabled_channels: '[]',
    silent: 0,
    command_errors: 1,
    say_enabled: 0,
  },
}

/** The same rows in the names of today, each as sorted text. */
export function rowsInStandardNames(): Record<string, string[]> {
  const tables = Object.entries(previous.rows).map(([table, rows]) => {
    const { table: newTable = table, columns = {} } = renames[table] ?? {}
    const renamed = rows.map((row) => {
      const named = Object.entries(row).map(([key, value]) => [
        columns[key] ?? key,
        table === 'settings' && value === formerLimits[key] ? null : value,
      ])
      const result = { ...Object.fromEntries(named), ...addedColumns[table] }
      return table === 'marks' ? { ...result, name: counters[result.name] } : result
    })
    return [newTable, asSortedText(renamed)]
  })
  return Object.fromEntries(tables)
}

/**
 * The same exports as this version writes them: the members of the groups that `preferences.statuses`
 * names are custom fronts.
 */
export function exportsOfToday(): Record<string, object> {
  const files = Object.entries(previous.exports).map(([hid, file]) => {
    const { statuses = [] } = file.multitude?.preferences ?? {}
    const named = file.groups.filter(({ uuid }) => statuses.includes(uuid))
    const ids = new Set(named.flatMap(({ members }) => members))
    const members = file.members
      .filter(({ id }) => ids.has(id))
      .map(({ uuid }) => ({ ...customFront, member: uuid }))
    if (members.length === 0) return [hid, file]
    return [hid, { ...file, multitude: { ...file.multitude, ext: { ...onlyDefaults, members } } }]
  })
  return Object.fromEntries(files)
}

const customFront = {
  kind: 'custom_front',
  archived_at: null,
  archived_reason: null,
  announce_front: true,
  about: null,
}

const onlyDefaults = {
  version: 1,
  settings: { front_status_privacy: 'private' },
  groups: [],
  fields: [],
  values: [],
  front_notes: [],
  notes: [],
  rooms: [],
  posts: [],
  polls: [],
  reminders: [],
  buckets: [],
  origins: [],
}

/** Rows as text, with their columns and themselves in order. */
export function asSortedText(rows: readonly object[]): string[] {
  return rows
    .map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort()
}

/** Calls the function with an `insert` statement and its values for each row. */
export async function insertPrevious(
  insert: (sql: string, values: (string | number | null)[]) => unknown,
  placeholder: (position: number) => string,
): Promise<void> {
  for (const [table, rows] of Object.entries(previous.rows))
    for (const row of rows) {
      const places = Object.keys(row).map((_, at) => placeholder(at + 1))
      await insert(
        `insert into ${table} (${Object.keys(row).join()}) values (${places.join()})`,
        Object.values(row),
      )
    }
}
