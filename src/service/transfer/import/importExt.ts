import type { Db } from '../../../db/types'
import type { BundleExtRow } from '../../../formats/bundle'
import { batches } from '../../../formats/chunks'
import type { JsonObject } from '../../../model/core/entity'
import { DomainError, error } from '../../../model/core/errors'
import type { Option } from '../../../model/core/field'
import { storedBytes, textBytes } from '../../../model/core/textSize'
import { Problem } from '../../../model/core/validation'
import { vote } from '../../../model/journal/poll'
import { hasOptions } from '../../../model/members/customField'
import { type FieldType, type FieldValue, parseValue } from '../../../model/members/fieldValue'
import { type OwnedList, ownedKind, ownedLists } from '../../../model/ownedKinds'
import type { ExtPart, ImportPart } from '../../../model/transfer/transfer'
import { addUsage } from '../../../store/core/usage'
import {
  countFields,
  countOwnedRows,
  fieldsOfSystem,
  usageOf,
  valuesOfMembers,
  writeValues,
  writeVotes,
} from '../../../store/transfer/importExtRows'
import { addBucketContents, applyBucketContents } from './importBuckets'
import { TextBudget } from './importBudget'
import type { Import } from './importContext'
import { applyEntityExts, NO_SPACE, planEntityExts, stageMemberExts } from './importExtEntities'
import {
  type AddedRows,
  addOwnedRows,
  findOwnedRows,
  leaveOut,
  NOT_IMPORTED,
  writeAll,
} from './importExtRows'

/** The rows in the order in which they get space for text, each followed by what belongs to it. */
const order: readonly ExtPart[] = ownedLists.flatMap((list): ExtPart[] => {
  if (list === 'fields') return ['fields', 'values']
  return list === 'polls' ? ['polls', 'votes'] : [list]
})

function importPartOf(part: ExtPart): ImportPart {
  if (part === 'values') return 'fields'
  return part === 'votes' ? 'polls' : ownedKind(part).importPart
}

/** Plans and stages the rows of the extension API. In a dry run nothing is written. */
export async function stageExt(work: Import): Promise<void> {
  const { deps, options, report } = work
  const used = await usageOf(deps.db, work.systemId ?? 0)
  const budget = new TextBudget(deps.quotas.extText - (used?.text_bytes ?? 0))
  await planEntityExts(work, budget)
  if (!options.dryRun) await stageMemberExts(work)
  if (!report.ext) return
  const added: Partial<Record<OwnedList, AddedRows>> = {}
  const rowsOf = (part: OwnedList) => added[part] ?? noRows
  for (const part of order)
    if (options.only?.has(importPartOf(part)) === false) {
      report.ext[part].left_out += work.ext[part].length
      if (part === 'fields') added.fields = await findOwnedRows(work, 'fields')
    } else if (part === 'values') {
      await addValues(work, budget, rowsOf('fields'))
    } else if (part === 'votes') {
      await addVotes(work, budget, rowsOf('polls'))
    } else added[part] = await addOwnedRows(work, budget, part, rowsOf('rooms').ids)
  if (added.buckets) await addBucketContents(work, added.buckets, rowsOf('fields'))
}

const noRows: AddedRows = {
  ids: new Map(),
  added: new Set(),
  named: new Set(),
  options: new Map(),
}

/** A value with the row IDs of its member and its field. */
interface ValueRow {
  member_id: number
  field_id: number
  value: string
}

async function addValues(work: Import, budget: TextBudget, fields: AddedRows): Promise<void> {
  const { deps, report, systemId } = work
  const isExisting = new Set(
    work.matched.members.flatMap(({ incoming, found }) => (found ? incoming.key : [])),
  )
  const stored = await storedValues(work)
  const definitions = new Map<number, FieldType>(
    (await fieldsOfSystem(deps.db, systemId ?? 0)).map((row) => [row.id, row]),
  )
  const given = new Map(work.ext.fields.map(({ key, values }) => [key, values]))
  const tally = { added: 0, changed: 0, unchanged: 0 }
  const staged: ValueRow[] = []
  let [missing, unfit, above] = [0, 0, 0]
  // One value for each member and field: the last one counts.
  for (const { refs, values } of await lastOfEach(work, 'values', 'member', 'field')) {
    await work.step(0)
    const [member, field] = [refs.member ?? '', refs.field ?? '']
    const [member_id, field_id] = [work.memberIds.get(member), fields.ids.get(field)]
    if (member_id === undefined || field_id === undefined) {
      missing += 1
      continue
    }
    const isNewField = fields.added.has(field)
    const definition = isNewField ? null : definitions.get(field_id)
    const converted = definition
      ? convertValue(definition, values.value, optionsOf(given.get(field)))
      : withNewOptions(values.value, fields.options.get(field))
    if (converted instanceof Problem || converted === null) {
      unfit += 1
      continue
    }
    const value = JSON.stringify(converted)
    const isVisible = !isNewField && isExisting.has(member)
    const before = isVisible ? stored.get(`${member_id} ${field_id}`) : undefined
    if (before === value) tally.unchanged += 1
    else if (above > 0 || !budget.take(storedBytes(value) - storedBytes(before))) above += 1
    else {
      tally[before === undefined ? 'added' : 'changed'] += 1
      if (isVisible) work.visibleValues.push({ member_id, field_id, value })
      else {
        work.extUsage.text_bytes += storedBytes(value)
        staged.push({ member_id, field_id, value })
      }
    }
  }
  for (const key of ['added', 'changed', 'unchanged'] as const)
    if (report.ext) report.ext.values[key] += tally[key]
  leaveOut(work, 'values', missing, NOT_IMPORTED)
  leaveOut(work, 'values', unfit, 'does not fit the type that the field has here')
  leaveOut(work, 'values', above, NO_SPACE)
  await writeAll(work, staged, writeValues)
  await work.step(work.ext.values.length)
}

/** Returns the values of the existing members, by the row IDs of member and field. */
async function storedValues({ deps, matched, step }: Import, db = deps.db) {
  const stored = new Map<string, string>()
  const ids = matched.members.flatMap(({ found }) => found?.id ?? [])
  for (const batch of batches(ids, MEMBERS_AT_ONCE)) {
    for (const { member_id, field_id, value } of await valuesOfMembers(db, batch))
      stored.set(`${member_id} ${field_id}`, value)
    await step(0)
  }
  return stored
}

/** Each of them may have a value of 100 fields. */
const MEMBERS_AT_ONCE = 20

function optionsOf(field: JsonObject | undefined): readonly Option[] {
  return Array.isArray(field?.options) ? field.options : []
}

/** Replaces IDs of options, which a new field has only if they are UUIDs in the file. */
function withNewOptions(value: unknown, ids: ReadonlyMap<string, string> | undefined): unknown {
  const here = (id: unknown) => ids?.get(String(id)) ?? id
  return Array.isArray(value) ? value.map(here) : here(value)
}

/** Converts a value of the file to the type and the options that the field has here. */
function convertValue(
  definition: FieldType,
  value: unknown,
  ofFile: readonly Option[],
): FieldValue | Problem {
  const { type, options } = definition
  const nameOf = (id: unknown) => ofFile.find((option) => option.id === id)?.name
  if (hasOptions(type)) {
    const here = (id: unknown) =>
      options?.find((option) => option.id === id || option.name === nameOf(id))?.id ?? id
    return parseValue(definition, Array.isArray(value) ? value.map(here) : here(value))
  }
  if ((type === 'text' || type === 'markdown') && typeof value !== 'string') {
    const names = (Array.isArray(value) ? value : [value]).map((one) => nameOf(one) ?? String(one))
    return parseValue(definition, names.join(', '))
  }
  return parseValue(definition, value)
}

async function addVotes(work: Import, budget: TextBudget, polls: AddedRows): Promise<void> {
  const { report, memberIds, deps } = work
  const staged: JsonObject[] = []
  let [unchanged, missing, above] = [0, 0, 0]
  // One vote for each member and poll: the last one counts.
  for (const { refs, values } of await lastOfEach(work, 'votes', 'poll', 'member')) {
    await work.step(0)
    const poll = refs.poll ?? ''
    const poll_id = polls.ids.get(poll)
    const option_id = polls.options.get(poll)?.get(String(values.option))
    const member_id = refs.member === null ? null : memberIds.get(refs.member ?? '')
    if (poll_id !== undefined && !polls.added.has(poll)) unchanged += 1
    else if (poll_id === undefined || option_id === undefined || member_id === undefined)
      missing += 1
    else if (above > 0 || !budget.take(textBytes(vote, values))) above += 1
    else {
      work.extUsage.text_bytes += textBytes(vote, values)
      const { comment = null, author_name = null, created = deps.now() } = values
      staged.push({ poll_id, member_id, author_name, option_id, comment, created })
    }
  }
  if (report.ext) {
    report.ext.votes.added += staged.length
    report.ext.votes.unchanged += unchanged
  }
  leaveOut(work, 'votes', missing, NOT_IMPORTED)
  leaveOut(work, 'votes', above, NO_SPACE)
  await writeAll(work, staged, writeVotes)
  await work.step(work.ext.votes.length)
}

/** Returns the last of the rows with the same references. Rows of deleted members are all different. */
async function lastOfEach(
  { ext, step }: Import,
  part: ExtPart,
  ...names: [string, string]
): Promise<Iterable<BundleExtRow>> {
  const last = new Map<unknown, BundleExtRow>()
  for (const row of ext[part]) {
    const refs = names.map((name) => row.refs[name] ?? null)
    last.set(refs.includes(null) ? row : JSON.stringify(refs), row)
    await step(0)
  }
  return last.values()
}

/** A value may have 4,000 characters. */
const VALUES_AT_ONCE = 100

/** Writes the rest in the last transaction. Returns whether anything changed. */
export async function applyExt(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { deps, extUsage, visibleValues } = work
  const entities = await applyEntityExts(work, tx, systemId)
  let { bytes } = entities
  if (visibleValues.length > 0) {
    const fieldIds = [...new Set(visibleValues.map(({ field_id }) => field_id))]
    if ((await countFields(tx, fieldIds)) < fieldIds.length)
      throw error('conflict', 'fields were deleted by another request; import again')
    const stored = await storedValues(work, tx)
    for (const { member_id, field_id, value } of visibleValues)
      bytes += storedBytes(value) - storedBytes(stored.get(`${member_id} ${field_id}`))
    for (const batch of batches(visibleValues, VALUES_AT_ONCE)) {
      await writeValues(tx, JSON.stringify(batch))
      await work.step(0)
    }
  }
  await inConflict(() =>
    addUsage(deps, tx, systemId, { ...extUsage, text_bytes: extUsage.text_bytes + bytes }),
  )
  const isShared = await applyBucketContents(work, tx)
  return entities.isChanged || visibleValues.length > 0 || isShared
}

/** Throws if other requests added rows meanwhile, and there is no space for both. */
export async function requireRowLimits(work: Import, tx: Db, systemId: number): Promise<void> {
  for (const list of ownedLists) {
    const { limit } = ownedKind(list)
    // Those with a counter are checked when it is increased.
    if ('counter' in limit || !work.report.ext?.[list].added) continue
    if ((await countOwnedRows(tx, list, systemId)) > limit.max) throw usedUp()
  }
}

async function inConflict(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (cause) {
    throw cause instanceof DomainError ? usedUp() : cause
  }
}

function usedUp(): DomainError {
  return error('conflict', 'other requests used up the space meanwhile; import again')
}
