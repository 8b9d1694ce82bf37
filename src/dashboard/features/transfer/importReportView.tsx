import { type ComponentChildren, Fragment } from 'preact'
import { parseInstant } from '../../../model/core/time'
import type { ExtPart, Part, Tally } from '../../../model/transfer/transfer'
import { formatter } from '../../core/appearance'
import { memberWord } from '../../core/store'
import { findText, importStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { labelOf } from '../form/formPage'
import {
  countWithoutRoom,
  isSame,
  type Repair,
  type Report,
  sortRepairs,
  talliesOf,
} from './importReport'
import { reasonText } from './reasonText'

/** Report of an import or a dry run: what comes in first, what is only stored last. */
export function ImportReport({ report }: { report: Report }) {
  const { file, repaired, dropped, leftOut } = sortRepairs(report.repairs)
  const withoutRoom = countWithoutRoom(report.repairs)
  const same = report.dry_run ? importStrings.nothingNew : importStrings.nothingDone
  return (
    <>
      <section class="part">
        <h3>{report.dry_run ? importStrings.preview : importStrings.imported}</h3>
        {isSame(report) && <p>{same}</p>}
        <dl class="tallies">
          {talliesOf(report).map(([part, tally]) => (
            <div key={part}>
              <dt>
                <b>
                  <PartName part={part} isLink={!report.dry_run} />
                </b>
                {report.format === 'simplyplural' && <Source part={part} />}
              </dt>
              <dd>
                {countsOf(tally).map((count, index) => (
                  <Fragment key={count}>
                    {index > 0 && ' · '}
                    <span>{count}</span>
                  </Fragment>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      {withoutRoom > 0 && <p>{importStrings.withoutRoom(withoutRoom)}</p>}
      {file.map((repair) => (
        <p key={repair.code}>{reasonText(repair)}</p>
      ))}
      <div class="folds">
        <Fold title={importStrings.repaired} lines={repaired.map(formatRepair)} />
        <Fold title={importStrings.dropped} lines={dropped.map(formatRepair)} />
        <Fold
          title={importStrings.skippedRows}
          count={leftOut.reduce((all, { left_out = 1 }) => all + left_out, 0)}
          lines={leftOut.map(formatRepair)}
        />
        <Fold
          title={importStrings.renamed}
          lines={report.renamed.map(({ kind, name, from, to }) =>
            importStrings.line(
              name ?? nameKind(kind),
              importStrings.becomes(from, to || importStrings.newId),
            ),
          )}
        >
          {importStrings.renamedMore}
        </Fold>
        <Fold
          title={importStrings.accounts}
          lines={report.accounts.map((account) =>
            importStrings.line(account.id, reasonText(account)),
          )}
        />
        <Fold
          title={importStrings.lost}
          count={sum(report.skipped)}
          lines={formatCounts(report.skipped)}
        >
          {importStrings.lostMore}
        </Fold>
        <Fold title={importStrings.kept} count={sum(report.kept)} lines={formatKept(report.kept)}>
          {importStrings.keptMore}
        </Fold>
      </div>
      {!report.dry_run && sum(report.kept) > 0 && (
        <p>
          <a href="#/archive">{importStrings.toArchive}</a>
        </p>
      )}
    </>
  )
}

/** Pages that show the imported rows, if the dashboard has one. */
const pageOf: Partial<Record<Part | ExtPart, string>> = {
  members: '#/members',
  groups: '#/groups',
  memberships: '#/groups',
  switches: '#/history',
  fields: '#/fields',
  values: '#/fields',
  front_notes: '#/history',
  notes: '#/notes',
  rooms: '#/chat',
  posts: '#/chat',
  polls: '#/chat',
  votes: '#/chat',
  reminders: '#/reminders',
  buckets: '#/friends',
}

/** Name of a kind of rows, with a link to the page that shows them. */
export function PartName({ part, isLink }: { part: Part | ExtPart; isLink: boolean }) {
  const page = pageOf[part]
  return isLink && page ? <a href={page}>{nameOfPart(part)}</a> : nameOfPart(part)
}

/** Note on what rows were in Simply Plural, or where they are here, unless their name says so. */
function Source({ part }: { part: Part | ExtPart }) {
  const text =
    part === 'members'
      ? importStrings.withCustomFronts(memberWord.value)
      : findText(importStrings.sources, part)
  if (text === undefined) return null
  return (
    <>
      <br />
      <span class="quiet small">{text}</span>
    </>
  )
}

/** Uses the system's word for members. */
export function nameOfPart(part: Part | ExtPart): string {
  if (part === 'memberships') return importStrings.memberships(memberWord.value)
  return part === 'members' ? memberWord.value.title : (findText(importStrings, part) ?? part)
}

export function countsOf({ added, changed, unchanged, left_out }: Tally): string[] {
  const counts = [
    ...(added > 0 ? [importStrings.added(added)] : []),
    ...(changed > 0 ? [importStrings.changed(changed)] : []),
    ...(unchanged > 0 ? [importStrings.unchanged(unchanged)] : []),
    ...(left_out > 0 ? [importStrings.leftOut(left_out)] : []),
  ]
  return counts.length === 0 ? [importStrings.none] : counts
}

interface FoldProps {
  title: (count: number) => string
  count?: number
  lines: readonly string[]
  children?: ComponentChildren
}

/** Longer lists are cut off. */
const MAX_LINES = 200

function Fold({ title, lines, count = lines.length, children }: FoldProps) {
  if (lines.length === 0) return null
  return (
    <details class="fold">
      <summary>
        {title(count)}
        <Icon name="forth" />
      </summary>
      {children && <p class="quiet">{children}</p>}
      <ul>
        {lines.slice(0, MAX_LINES).map((line, index) => (
          <li key={`${index}${line}`}>{line}</li>
        ))}
        {lines.length > MAX_LINES && <li>…</li>}
      </ul>
    </details>
  )
}

/** Lists of rows by their kind. What happens to whole rows is reported like a field of them. */
const listsOf: Readonly<Record<string, readonly string[]>> = {
  member: ['member', 'members', 'frontStatuses'],
  group: ['group', 'groups'],
  switch: ['switch', 'switches', 'frontHistory', 'fronters', 'startTime'],
  field: ['fields', 'values'],
  front_note: ['front_notes'],
  note: ['notes'],
  room: ['rooms'],
  post: ['posts'],
  poll: ['polls'],
  reminder: ['reminder', 'reminders'],
  bucket: ['buckets'],
}

/** Rows that were all changed in the same way have their number as old and new value. */
function formatRepair(repair: Repair): string {
  const { kind, name, field, was, now, left_out = 1 } = repair
  const row = nameRow(kind, name)
  const subject = listsOf[kind]?.includes(field)
    ? (row ?? nameList(kind, field))
    : importStrings.subject(row ?? nameKind(kind), nameField(field))
  const isRemoved = now === null || now === undefined
  const old = was === null || was === undefined ? '' : quote(was)
  const change = isRemoved
    ? old
    : was === now
      ? importStrings.rows(Number(now))
      : importStrings.becomes(old || '–', quote(now))
  const rows = left_out > 1 ? importStrings.rows(left_out) : ''
  return [importStrings.line(subject, reasonText(repair)), change, rows].filter(Boolean).join(' · ')
}

function nameList(kind: string, list: string): string {
  if (list === 'members') return memberWord.value.title
  return list === kind ? nameKind(kind) : nameField(list)
}

function quote(value: unknown): string {
  return typeof value === 'string' ? strings.quoted(value) : String(value)
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}

function formatCounts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([name, count]) => describeCollection(name, count))
}

function formatKept({ customFields = 0, ...kept }: Report['kept']): string[] {
  const details = customFields > 0 ? [importStrings.fieldDetails(customFields)] : []
  return [...details, ...formatCounts(kept)]
}

/** Collections of other apps that there is no name for keep their own. */
function describeCollection(name: string, count: number): string {
  const { collections } = importStrings
  return isCollection(name)
    ? collections[name](count, memberWord.value)
    : importStrings.otherRows(name, count)
}

function isCollection(name: string): name is keyof typeof importStrings.collections {
  return Object.hasOwn(importStrings.collections, name)
}

/** A switch has no name but its time. */
function nameRow(kind: string, name: string | null): string | null {
  const at = kind === 'switch' ? parseInstant(name ?? '') : null
  return at === null
    ? name
    : importStrings.subject(formatter.value.date(at), formatter.value.time(at))
}

function nameField(field: string): string {
  return findText(importStrings.fieldNames, field) ?? labelOf(field)
}

function nameKind(kind: string): string {
  return findText(importStrings.kinds, kind) ?? kind
}

export { describeCollection, Fold, formatCounts, formatRepair, sum }
