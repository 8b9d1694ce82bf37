import type { ComponentChildren } from 'preact'
import { parseInstant } from '../../../../model/time'
import { type Part, parts, type Tally } from '../../../../model/transfer'
import { formatter } from '../../appearance'
import { isEmpty, isSame, type Repair, type Report, sortRepairs } from '../../importReport'
import { memberWord } from '../../store'
import { findServerText, findText, importReasons, importStrings, strings } from '../../strings'
import { labelOf } from '../form/page'
import { Icon } from '../icon'

/** Report of an import or a dry run: what comes in first, what is only stored last. */
export function ImportReport({ report }: { report: Report }) {
  const { file, repaired, dropped, leftOut } = sortRepairs(report.repairs)
  const same = report.dry_run ? importStrings.nothingNew : importStrings.nothingDone
  return (
    <>
      <section class="part">
        <h3>{report.dry_run ? importStrings.preview : importStrings.imported}</h3>
        {isSame(report) && <p>{same}</p>}
        <dl class="tallies">
          {parts
            .filter((part) => part !== 'memberships' || !isEmpty(report[part]))
            .map((part) => (
              <div key={part}>
                <dt>{nameOfPart(part)}</dt>
                <dd>{countsOf(report[part]).join(' · ')}</dd>
              </div>
            ))}
        </dl>
      </section>
      {file.map(({ why }) => (
        <p key={why}>{findServerText(importReasons, why)}</p>
      ))}
      <div class="folds">
        <Fold title={importStrings.repaired} lines={repaired.map(formatRepair)} />
        <Fold title={importStrings.dropped} lines={dropped.map(formatRepair)} />
        <Fold title={importStrings.skippedRows} lines={leftOut.map(formatRepair)} />
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
          lines={report.accounts.map(({ id, why }) =>
            importStrings.line(id, findServerText(importReasons, why)),
          )}
        />
        <Fold
          title={importStrings.lost}
          count={sum(report.skipped)}
          lines={formatCounts(report.skipped)}
        />
        <Fold title={importStrings.kept} count={sum(report.kept)} lines={formatCounts(report.kept)}>
          {importStrings.keptMore}
        </Fold>
      </div>
    </>
  )
}

/** Uses the system's word for members. */
export function nameOfPart(part: Part): string {
  if (part === 'memberships') return importStrings.memberships(memberWord.value)
  return part === 'members' ? memberWord.value.title : importStrings[part]
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

/** Collapsed list. */
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
        {lines.slice(0, MAX_LINES).map((line, at) => (
          <li key={`${at}${line}`}>{line}</li>
        ))}
        {lines.length > MAX_LINES && <li>…</li>}
      </ul>
    </details>
  )
}

function formatRepair({ kind, name, field, was, now, why, left_out = 1 }: Repair): string {
  const subject = importStrings.subject(nameRow(kind, name) ?? nameKind(kind), nameField(field))
  const isRemoved = now === null || now === undefined
  const old = was === null || was === undefined ? '' : quote(was)
  const change = isRemoved ? old : importStrings.becomes(old || '–', quote(now))
  const rows = left_out > 1 ? importStrings.rows(left_out) : ''
  return [importStrings.line(subject, findServerText(importReasons, why)), change, rows]
    .filter(Boolean)
    .join(' · ')
}

function quote(value: unknown): string {
  return typeof value === 'string' ? strings.quoted(value) : String(value)
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, one) => all + one, 0)
}

function formatCounts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([name, count]) => describeCollection(name, count))
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
  return findText(importStrings.fields, field) ?? labelOf(field)
}

function nameKind(kind: string): string {
  return findText(importStrings.kinds, kind) ?? kind
}
