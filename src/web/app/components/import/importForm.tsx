import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ImportPart, importParts } from '../../../../model/transfer'
import { announce } from '../../actions'
import { ApiError, errorMessage, requestOwn } from '../../api'
import { importFile } from '../../drafts'
import { importQuery, isSame, type Report } from '../../importReport'
import { isOffline, reloadAll } from '../../store'
import { strings } from '../../strings'
import { importStrings } from '../../strings/import'
import { formatTally, ImportReport, nameOfPart } from './importReport'

/** A file: what it is, what would happen; then, if wanted, for good. */
export function ImportForm() {
  const [done, setDone] = useState<Report | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const file = importFile.value
  const take = (given: File | undefined) => {
    if (!given) return
    setDone(null)
    importFile.value = given
  }
  // Wherever it falls: else the browser would open it, and leave.
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault()
      if (event.type === 'drop') take(event.dataTransfer?.files[0])
    }
    addEventListener('dragover', drop)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', drop)
      removeEventListener('drop', drop)
    }
  }, [])
  useEffect(() => {
    if (file || done) heading.current?.focus()
  }, [file, done])
  const finish = (report: Report) => {
    importFile.value = null
    setDone(report)
    announce(
      isSame(report) ? importStrings.nothingDone : importStrings.done(describeCounts(report)),
    )
    reloadAll().catch(() => {})
  }
  if (done) return <Done report={done} heading={heading} onFile={take} />
  if (file)
    return (
      <Preview
        key={`${file.name} ${file.size} ${file.lastModified}`}
        file={file}
        heading={heading}
        onFile={take}
        onDone={finish}
      />
    )
  return (
    <section class="card drop">
      <h2>{importStrings.bring}</h2>
      <p class="quiet">{importStrings.bringMore}</p>
      <div class="row">
        <ChooseFile label={importStrings.choose} kind="main" onFile={take} />
        <span class="quiet drop-hint">{importStrings.drop}</span>
      </div>
    </section>
  )
}

interface ChooseProps {
  label: string
  kind?: string
  onFile: (file: File | undefined) => void
}

/** The browser's own field for files, dressed as a button. */
function ChooseFile({ label, kind = '', onFile }: ChooseProps) {
  return (
    <label class={`button file ${kind}`}>
      {label}
      <input
        type="file"
        class="unseen"
        accept=".json,.db,.txt,application/json"
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

interface PreviewProps {
  file: File
  heading: RefObject<HTMLHeadingElement | null>
  onFile: (file: File | undefined) => void
  onDone: (report: Report) => void
}

const allParts: ReadonlySet<ImportPart> = new Set(importParts)

function Preview({ file, heading, onFile, onDone }: PreviewProps) {
  const [report, setReport] = useState<Report | null>(null)
  const [parts, setParts] = useState(allParts)
  const [isPublic, setPublic] = useState(false)
  const [busy, setBusy] = useState('')
  const [problem, setProblem] = useState('')

  const send = (isDryRun: boolean, signal?: AbortSignal) =>
    requestOwn<Report>(`v2/systems/@me/import?${importQuery({ isDryRun, parts, isPublic })}`, {
      method: 'POST',
      file,
      ...(signal && { signal }),
    })
  const attempt = async (doing: string, act: () => Promise<void>, signal?: AbortSignal) => {
    setProblem('')
    setBusy(doing)
    try {
      await act()
    } catch (cause) {
      if (!signal?.aborted) setProblem(explain(cause))
    }
    if (!signal?.aborted) setBusy('')
  }

  useEffect(() => {
    // What was cut off is done again when the server is back.
    if (parts.size === 0 || isOffline.value) return setBusy('')
    const leaving = new AbortController()
    const { signal } = leaving
    const look = async () => {
      const found = await send(true, signal)
      setReport(found)
      if (found) announce(`${importStrings.formats[found.format]}: ${describeCounts(found)}`)
    }
    attempt(importStrings.looking, look, signal)
    return () => leaving.abort()
  }, [file, parts, isPublic, isOffline.value])

  const bring = () =>
    attempt(importStrings.bringing, async () => {
      const brought = await send(false)
      if (brought) onDone(brought)
    })
  const cannot = isOffline.value || busy !== '' || parts.size === 0 || report === null
  return (
    <section class="card" aria-busy={busy !== ''}>
      <h2 ref={heading} tabIndex={-1}>
        {report ? importStrings.formats[report.format] : file.name}
      </h2>
      <p class="quiet">{importStrings.about(file.name, formatSize(file.size))}</p>
      {report && (
        <>
          <ImportReport report={report} />
          <Choices {...{ report, parts, setParts, isPublic, setPublic }} />
        </>
      )}
      <p role="status" class="quiet">
        {busy}
      </p>
      <p class="problem" role="alert">
        {problem || (parts.size === 0 ? importStrings.noParts : '')}
      </p>
      <div class="row">
        {report && (
          <button
            type="button"
            class="main"
            aria-disabled={cannot}
            onClick={() => cannot || bring()}
          >
            {importStrings.bring}
          </button>
        )}
        <ChooseFile label={importStrings.another} onFile={onFile} />
        <button
          type="button"
          onClick={() => {
            importFile.value = null
          }}
        >
          {strings.cancel}
        </button>
      </div>
    </section>
  )
}

interface ChoicesProps {
  report: Report
  parts: ReadonlySet<ImportPart>
  setParts: (parts: ReadonlySet<ImportPart>) => void
  isPublic: boolean
  setPublic: (isPublic: boolean) => void
}

function Choices({ report, parts, setParts, isPublic, setPublic }: ChoicesProps) {
  return (
    <fieldset class="choice">
      <legend>{importStrings.parts}</legend>
      {importParts.map((part) => (
        <label key={part} class="check">
          <input
            type="checkbox"
            checked={parts.has(part)}
            onChange={({ currentTarget: { checked } }) =>
              setParts(
                new Set(importParts.filter((one) => (one === part ? checked : parts.has(one)))),
              )
            }
          />
          {nameOfPart(part)}
        </label>
      ))}
      <p class="quiet small">{importStrings.allThree}</p>
      {report.format === 'simplyplural' && (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={isPublic}
              onChange={({ currentTarget: { checked } }) => setPublic(checked)}
            />
            {importStrings.friends}
          </label>
          <p class="quiet small">{importStrings.friendsMore}</p>
        </>
      )}
    </fieldset>
  )
}

interface DoneProps {
  report: Report
  heading: RefObject<HTMLHeadingElement | null>
  onFile: (file: File | undefined) => void
}

function Done({ report, heading, onFile }: DoneProps) {
  return (
    <section class="card">
      <h2 ref={heading} tabIndex={-1}>
        {importStrings.isDone}
      </h2>
      <ImportReport report={report} />
      <div class="row">
        <a class="button" href="#/now">
          {importStrings.toNow}
        </a>
        <ChooseFile label={importStrings.another} onFile={onFile} />
      </div>
    </section>
  )
}

function describeCounts(report: Report): string {
  return importParts.map((part) => `${nameOfPart(part)} ${formatTally(report[part])}`).join('; ')
}

const TOO_LARGE = 413

function explain(cause: unknown): string {
  if (cause instanceof ApiError && cause.status === TOO_LARGE) return importStrings.tooLarge
  return errorMessage(cause, strings.away)
}

function formatSize(bytes: number): string {
  const kilobytes = Math.ceil(bytes / 1024)
  return kilobytes < 1000
    ? importStrings.kilobytes(kilobytes)
    : importStrings.megabytes((kilobytes / 1024).toFixed(1))
}
