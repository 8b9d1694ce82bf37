import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, errorMessage, request } from '../../api/client'
import { convertPath } from '../../api/resources'
import { announce } from '../../core/actions'
import { isOffline, preferences, reloadAll } from '../../core/store'
import { useAction } from '../../core/useAction'
import { archiveStrings, importStrings, strings } from '../../texts/texts'
import { LoadProblem } from '../../ui/loadProblem'
import { Page } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { BackToArchive } from './archiveList'
import { answerOffer } from './archiveOffer'
import { ConversionReport, hasChanges } from './conversionReport'
import type { Report } from './importReport'
import { OldGroups } from './oldGroups'

/** Previews the conversion of archived rows with a dry run, then converts them on request. */
export function Conversion() {
  const [done, setDone] = useState<Report | null>(null)
  return (
    <Page title={archiveStrings.convertTitle} actions={<BackToArchive />}>
      {done ? <Done report={done} /> : <Preview onDone={setDone} />}
    </Page>
  )
}

function convert(isDryRun: boolean, signal?: AbortSignal): Promise<Report | null> {
  const query = isDryRun ? '?dry_run=true' : ''
  return request<Report>(`${convertPath}${query}`, {
    method: 'POST',
    ...(signal && { signal }),
  })
}

function Preview({ onDone }: { onDone: (report: Report) => void }) {
  const [report, setReport] = useState<Report | null>(null)
  const [attempts, setAttempts] = useState(0)
  const { run, problem, isBusy } = useAction({ explain, canOverlap: true })
  useEffect(() => {
    // An interrupted preview runs again when the server is reachable.
    if (report || isOffline.value) return
    const controller = new AbortController()
    run(async () => setReport(await convert(true, controller.signal)))
    return () => controller.abort()
  }, [attempts, isOffline.value])
  const convertNow = () => {
    if (isBusy) return
    run(async () => {
      const converted = await convert(false)
      if (!converted) return
      onDone(converted)
      reloadAll().catch(() => {})
    })
  }
  if (!report && problem !== '')
    return <LoadProblem text={problem} onRetry={() => setAttempts(attempts + 1)} />
  return (
    <section class="card" aria-busy={isBusy}>
      {report && (
        <>
          <h2>{importStrings.preview}</h2>
          <ConversionReport report={report} />
        </>
      )}
      <p role="status" class="quiet">
        {isBusy && (report ? archiveStrings.converting : archiveStrings.reading)}
      </p>
      <ProblemText text={problem} />
      <div class="row">
        {report && hasChanges(report) && (
          <button
            type="button"
            class="main"
            aria-disabled={isOffline.value || isBusy}
            onClick={convertNow}
          >
            {archiveStrings.convertNow}
          </button>
        )}
        <a class="button" href="#/archive">
          {strings.cancel}
        </a>
      </div>
    </section>
  )
}

function Done({ report }: { report: Report }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
    announce(archiveStrings.isDone)
  }, [])
  // Rows that could not be converted are not offered again.
  const left = preferences.value.archive
  useEffect(answerOffer, [left])
  return (
    <>
      <section class="card">
        <h2 ref={heading} tabIndex={-1}>
          {archiveStrings.isDone}
        </h2>
        <ConversionReport report={report} />
        <div class="row">
          <a class="button" href="#/now">
            {importStrings.toNow}
          </a>
          {left && (
            <a class="button" href="#/archive">
              {importStrings.toArchive}
            </a>
          )}
        </div>
      </section>
      <OldGroups />
    </>
  )
}

function explain(cause: unknown): string {
  return cause instanceof ApiError && cause.status === 409
    ? archiveStrings.otherImport
    : errorMessage(cause)
}
