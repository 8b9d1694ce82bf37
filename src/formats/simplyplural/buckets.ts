import { isObject } from '../../model/core/validation'
import { bucket, type SharedKind } from '../../model/friends/bucket'
import type { Subject } from '../bundle'
import { colorOf, nameOr, textOf } from '../repair'
import type { ReadContext } from './readContext'
import { compareRanks } from './rows'

/** Adds privacy buckets, in their order. */
export function readBuckets(context: ReadContext): void {
  const { log, buckets } = context
  const rows = context.rows('privacyBuckets').toSorted((a, b) => compareRanks(a.rank, b.rank))
  const defaults = readDefaults(context)
  for (const [position, row] of rows.entries()) {
    const subject: Subject = { kind: 'bucket', name: textOf(row.name) ?? null }
    const fields = {
      name: textOf(row.name),
      about: textOf(row.desc),
      color: colorOf(row.color, subject, log),
      emoji: textOf(row.icon),
    }
    const added = context.add(
      'buckets',
      bucket,
      { collection: 'privacyBuckets', id: row._id },
      fields,
      { subject, values: { position, default_for: defaults.get(row._id) ?? [] } },
    )
    added.values.name = nameOr(textOf(added.values.name), null, subject, log)
    added.contents = buckets.of(row._id)
    context.archiveRest('privacyBuckets', row, importedKeys)
  }
  for (const [index, { id, draft }] of buckets.missing().entries()) {
    const added = context.add(
      'buckets',
      bucket,
      { collection: 'privacyBuckets', id },
      {},
      {
        subject: { kind: 'bucket', name: draft.name },
        values: { ...draft, position: rows.length + index },
      },
    )
    added.contents = buckets.of(id)
  }
}

const importedKeys = ['name', 'desc', 'color', 'icon', 'rank']

/** Kinds of new rows, by their keys in the file. */
const kinds: Readonly<Record<string, SharedKind>> = {
  members: 'members',
  customFronts: 'custom_fronts',
  groups: 'groups',
  customFields: 'fields',
}

/** Returns the kinds of new rows that are put in each bucket. What cannot be read is archived. */
function readDefaults(context: ReadContext): Map<string, SharedKind[]> {
  const defaults = new Map<string, SharedKind[]>()
  const privacy = context.owner?.defaultPrivacy
  const ids = new Set<unknown>(context.rows('privacyBuckets').map(({ _id }) => _id))
  const rest: [string, unknown][] = []
  for (const [key, value] of Object.entries(isObject(privacy) ? privacy : {})) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    const isRead = kind !== undefined && Array.isArray(value) && value.every((id) => ids.has(id))
    if (isRead)
      for (const id of new Set<string>(value)) defaults.set(id, [...(defaults.get(id) ?? []), kind])
    else rest.push([key, value])
  }
  if (rest.length > 0) context.log.archive('defaultPrivacy', Object.fromEntries(rest))
  return defaults
}
