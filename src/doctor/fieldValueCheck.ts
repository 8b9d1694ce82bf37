import { createHash } from 'node:crypto'
import { and, eq, gt, sql } from 'drizzle-orm'
import { type Finding, PAGE } from '../db/finding'
import { type Placeholders, query } from '../db/query'
import { readPages, readPagesById } from '../db/readPages'
import { fields, fieldValues, importArchive, polls, pollVotes } from '../db/tables'
import type { Db } from '../db/types'
import { visibleMembers } from '../db/visible'
import type { Option } from '../model/core/field'
import { Problem } from '../model/core/validation'
import { poll } from '../model/journal/poll'
import {
  type CustomFieldType,
  customField,
  customFieldTypes,
  hasOptions,
} from '../model/members/customField'
import {
  type FieldType,
  type FieldValue,
  isTextType,
  parseValue,
  valueAsText,
  withoutRemoved,
} from '../model/members/fieldValue'

/** Type and options of a field as stored, because they may be damaged. */
interface StoredType {
  type: string
  options: string | null
}

interface StoredField extends StoredType {
  id: number
  uuid: string
}

/** Finds custom fields of an unknown type, and options that do not belong to the type. */
export async function findWrongFields(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const page of readPagesById(fieldPage(db))) {
    for (const field of page) findings.push(...checkField(field))
  }
  return findings
}

function checkField({ id, uuid, type, options }: StoredField): Finding[] {
  const check = 'fields'
  if (!isKnownType(type)) return [{ check, problem: `field ${uuid} has an unknown type` }]
  const remedy = 'replace its options, or delete it'
  if (!hasOptions(type) && options !== null) {
    const problem = `field ${uuid} of type ${type} has options`
    return [{ check, problem, fix: (tx) => removeOptions(tx).run({ id }) }]
  }
  if (hasOptions(type) && options === null)
    return [{ check, problem: `field ${uuid} of type ${type} has no options`, remedy }]
  if (parseType({ type, options }) === null)
    return [{ check, problem: `the options of field ${uuid} cannot be read`, remedy }]
  return []
}

interface StoredValue extends StoredType {
  member_id: number
  member: string
  hid: string
  system_id: number
  field_id: number
  field: string
  field_system: number
  value: string
}

/** Finds values of members that do not fit their field. The repair archives what it removes. */
export async function findWrongFieldValues(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  const pages = readPages(
    { member: 0, field: 0 },
    (after) => valuePage(db).all(after),
    ({ member_id, field_id }) => ({ member: member_id, field: field_id }),
  )
  for await (const page of pages) for (const row of page) findings.push(...checkValue(row))
  return findings
}

function checkValue(row: StoredValue): Finding[] {
  const finding = (problem: string, repaired: FieldValue = null): Finding => ({
    check: 'field values',
    problem: `the value of member ${row.hid} for field ${row.field} ${problem}`,
    fix: (tx) => replaceValue(tx, row, repaired),
  })
  if (row.system_id !== row.field_system) return [finding('belongs to another system')]
  const type = parseType(row)
  // The check of fields reports it.
  if (type === null) return []
  const value = parseJson(row.value)
  if (value === undefined)
    return [finding('cannot be read', isTextType(type.type) ? valueAsText(type, row.value) : null)]
  if (value !== null && Bun.deepEquals(parseValue(type, value), value)) return []
  const repaired = repairValue(type, value)
  const isOption = hasOptions(type.type) && optionIds(value).length > 0
  return [
    finding(isOption ? 'names an option that does not exist' : 'does not fit its type', repaired),
  ]
}

/** Returns what of a value can be kept. */
function repairValue(type: FieldType, value: unknown): FieldValue {
  if (value === null || value === '') return null
  if (isTextType(type.type))
    return valueAsText(type, typeof value === 'string' ? value : JSON.stringify(value))
  if (type.type === 'choices') return withoutRemoved(optionIds(value), type.options ?? [])
  return null
}

function optionIds(value: unknown): string[] {
  return [value].flat().filter((id) => typeof id === 'string')
}

/** Replaces or deletes a value. The archive keeps one that is not a part of the new value. */
async function replaceValue(tx: Db, row: StoredValue, repaired: FieldValue): Promise<void> {
  const { member_id, field_id, system_id, member, field, value } = row
  const isKept = typeof repaired === 'string' && value.length <= repaired.length + '""'.length
  const isEmpty = ['null', '""', '[]'].includes(value)
  if (!isKept && !isEmpty) {
    const content = JSON.stringify({ member, field, value: parseJson(value) ?? value })
    const digest = createHash('sha256').update(content).digest('hex')
    await archive(tx).run({ system_id, content, digest })
  }
  const at = { member: member_id, field: field_id, value }
  if (repaired === null) await deleteValue(tx).run(at)
  else await updateValue(tx).run({ ...at, json: JSON.stringify(repaired) })
}

/** Finds votes for options that their poll does not have; removing an option removes its votes. */
export async function findWrongVotes(db: Db): Promise<Finding[]> {
  const check = 'polls'
  const findings: Finding[] = []
  for await (const page of readPagesById(pollPage(db))) {
    for (const { id, uuid, options } of page) {
      const parsed = parseOptions(poll.fields.options, options)
      if (!parsed) {
        const remedy = 'replace its options, or delete it'
        findings.push({ check, problem: `the options of poll ${uuid} cannot be read`, remedy })
        continue
      }
      const ids = JSON.stringify(parsed.map((option) => option.id))
      const votes = await votesWithoutOption(db).all({ poll: id, ids })
      for (const vote of votes)
        findings.push({
          check,
          problem: `vote ${vote.id} of poll ${uuid} names an option that does not exist`,
          fix: (tx) => deleteVote(tx).run({ id: vote.id }),
        })
    }
  }
  return findings
}

/** Returns a readable type; null if the type is unknown or its options are damaged. */
function parseType({ type, options }: StoredType): FieldType | null {
  if (!isKnownType(type)) return null
  if (!hasOptions(type)) return { type, options: null }
  const parsed = parseOptions(customField.fields.options, options)
  return parsed && { type, options: parsed }
}

function isKnownType(type: string): type is CustomFieldType {
  return customFieldTypes.some((knownType) => knownType === type)
}

function parseOptions(
  { parse }: (typeof poll)['fields']['options'],
  json: string | null,
): Option[] | null {
  const parsed = parse(parseJson(json ?? ''))
  if (parsed instanceof Problem || parsed === null) return null
  return parsed.every(({ id }) => id !== '') ? parsed : null
}

/** Returns the value of JSON; undefined if it cannot be parsed. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Columns as stored, because their JSON may be damaged. */
const storedOptions = (column: typeof fields.options | typeof polls.options) =>
  sql<string | null>`${column}`.as('options')

const fieldPage = query((db, { after }: Placeholders<'after'>) =>
  db
    .select({
      id: fields.id,
      uuid: fields.uuid,
      type: sql<string>`${fields.type}`.as('type'),
      options: storedOptions(fields.options),
    })
    .from(fields)
    .where(gt(fields.id, after))
    .orderBy(fields.id)
    .limit(PAGE),
)

const removeOptions = query((db, { id }: Placeholders<'id'>) =>
  db.update(fields).set({ options: null }).where(eq(fields.id, id)),
)

const { member_id, field_id, value } = fieldValues

const valuePage = query((db, { member, field }: Placeholders<'member' | 'field'>) => {
  const { hid, system_id } = visibleMembers
  return db
    .select({
      member_id,
      member: sql<string>`${visibleMembers.uuid}`.as('member'),
      hid,
      system_id,
      field_id,
      field: sql<string>`${fields.uuid}`.as('field'),
      field_system: sql<number>`${fields.system_id}`.as('field_system'),
      type: sql<string>`${fields.type}`.as('type'),
      options: storedOptions(fields.options),
      value,
    })
    .from(fieldValues)
    .innerJoin(visibleMembers, eq(visibleMembers.id, member_id))
    .innerJoin(fields, eq(fields.id, field_id))
    .where(sql`(${member_id}, ${field_id}) > (${member}, ${field})`)
    .orderBy(member_id, field_id)
    .limit(PAGE)
})

/** The value as it was found, because another process may have replaced it meanwhile. */
const isValue = (at: Placeholders<'member' | 'field' | 'value'>) =>
  and(eq(member_id, at.member), eq(field_id, at.field), eq(value, at.value))

const deleteValue = query((db, at: Placeholders<'member' | 'field' | 'value'>) =>
  db.delete(fieldValues).where(isValue(at)),
)

const updateValue = query((db, at: Placeholders<'member' | 'field' | 'value' | 'json'>) =>
  db.update(fieldValues).set({ value: at.json }).where(isValue(at)),
)

const archive = query((db, row: Placeholders<'system_id' | 'content' | 'digest'>) =>
  db
    .insert(importArchive)
    .values({
      system_id: row.system_id,
      collection: sql`'fieldValues'`,
      content: row.content,
      digest: row.digest,
    })
    .onConflictDoNothing(),
)

const pollPage = query((db, { after }: Placeholders<'after'>) =>
  db
    .select({ id: polls.id, uuid: polls.uuid, options: storedOptions(polls.options) })
    .from(polls)
    .where(gt(polls.id, after))
    .orderBy(polls.id)
    .limit(PAGE),
)

const votesWithoutOption = query(
  (db, { poll, ids }: Placeholders<'poll' | 'ids'>, { inJsonTexts }) =>
    db
      .select({ id: pollVotes.id })
      .from(pollVotes)
      .where(and(eq(pollVotes.poll_id, poll), sql`not (${inJsonTexts(pollVotes.option_id, ids)})`))
      .orderBy(pollVotes.id),
)

const deleteVote = query((db, { id }: Placeholders<'id'>) =>
  db.delete(pollVotes).where(eq(pollVotes.id, id)),
)
