import {
  type ExtPart,
  extParts,
  type Part,
  parts,
  type Tally,
} from '../../../model/transfer/transfer'
import { archiveStrings, findText, importStrings } from '../../texts/texts'
import { isEmpty, type Repair, type Report, sortRepairs } from './importReport'
import { countsOf, Fold, formatCounts, formatRepair, PartName, sum } from './importReportView'
import { reasonText } from './reasonText'

/** Report of a conversion or its dry run: what becomes what, and what stays archived. */
export function ConversionReport({ report }: { report: Report }) {
  const { repaired, dropped, leftOut } = sortRepairs(report.repairs)
  const tallies = changesIn(report)
  return (
    <>
      {tallies.length === 0 && (
        <p>{report.dry_run ? archiveStrings.nothing : archiveStrings.nothingDone}</p>
      )}
      <dl class="tallies">
        {tallies.map(([part, tally]) => (
          <div key={part}>
            <dt>
              <PartName part={part} isLink={!report.dry_run} />
            </dt>
            <dd>{countsOf(tally).join(' · ')}</dd>
          </div>
        ))}
      </dl>
      <div class="folds">
        <Fold title={importStrings.repaired} lines={repaired.map(formatRepair)} />
        <Fold title={importStrings.dropped} lines={dropped.map(formatRepair)} />
        <Fold
          title={archiveStrings.left}
          count={countRows(leftOut)}
          lines={leftOut.map(formatLeft)}
        >
          {archiveStrings.leftMore}
        </Fold>
        <Fold
          title={importStrings.lost}
          count={sum(report.skipped)}
          lines={formatCounts(report.skipped)}
        />
        <Fold
          title={archiveStrings.remaining}
          count={sum(report.kept)}
          lines={formatCounts(report.kept)}
        >
          {archiveStrings.remainingMore}
        </Fold>
      </div>
    </>
  )
}

export function hasChanges(report: Report): boolean {
  return changesIn(report).some(([, { added, changed }]) => added + changed > 0)
}

/** Members, groups and switches were imported before, so only their changes are listed. */
function changesIn(report: Report): [part: Part | ExtPart, tally: Tally][] {
  const { ext } = report
  const tallies = parts.map((part): [Part, Tally] => [part, { ...report[part], unchanged: 0 }])
  const added = extParts.flatMap((part): [ExtPart, Tally][] => (ext ? [[part, ext[part]]] : []))
  return [...tallies, ...added].filter(([, tally]) => !isEmpty(tally))
}

function countRows(repairs: readonly Repair[]): number {
  return repairs.reduce((all, { left_out = 1 }) => all + left_out, 0)
}

function formatLeft(repair: Repair): string {
  const { kind, name, left_out = 1 } = repair
  const subject = name || (findText(importStrings.kinds, kind) ?? kind)
  const line = importStrings.line(subject, reasonText(repair))
  return left_out > 1 ? `${line} · ${importStrings.rows(left_out)}` : line
}
