import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { allImportParts, type ImportPart } from '../../../model/transfer/transfer'
import { ApiError, errorMessage } from '../../api/client'
import { importPath } from '../../api/resources'
import { announce } from '../../core/actions'
import { importFile } from '../../core/drafts'
import { isOffline, members, memberWord, reloadAll, system } from '../../core/store'
import { useAction } from '../../core/useAction'
import { findText, importStrings, strings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'
import { ProblemText } from '../../ui/problemText'
import { AvatarArchive } from '../pictures/avatarArchiveCard'
import { importQuery, isSame, partsIn, type Report, talliesOf } from './importReport'
import { countsOf, ImportReport, nameOfPart } from './importReportView'
import { upload } from './upload'

/** Previews an import file with a dry run, then imports it on request. */
export function ImportForm() {
  const [done, setDone] = useState<Report | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const file = importFile.value
  const chooseFile = (picked: File | undefined) => {
    if (!picked) return
    setDone(null)
    importFile.value = picked
  }
  // On the whole window, because the browser would otherwise open a file dropped beside the form.
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault()
      if (event.type === 'drop') chooseFile(event.dataTransfer?.files[0])
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
      isSame(report)
        ? importStrings.nothingDone
        : importStrings.tallies(importStrings.isDone, describeCounts(report)),
    )
    reloadAll().catch(() => {})
  }
  if (done) return <Done report={done} heading={heading} onFile={chooseFile} />
  if (file)
    return (
      <Preview
        key={`${file.name} ${file.size} ${file.lastModified}`}
        file={file}
        heading={heading}
        onFile={chooseFile}
        onDone={finish}
      />
    )
  return (
    <section class="card drop">
      <h2>{importStrings.import}</h2>
      <p class="quiet">{importStrings.importMore}</p>
      <div class="row">
        <ChooseFile label={importStrings.choose} kind="main" onFile={chooseFile} />
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

/** File input styled as a button. */
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

const allParts: ReadonlySet<ImportPart> = new Set(allImportParts)

function Preview({ file, heading, onFile, onDone }: PreviewProps) {
  const [report, setReport] = useState<Report | null>(null)
  const [parts, setParts] = useState(allParts)
  // A preview of some parts still reports which parts the file has.
  const shown = report ? partsIn(report) : allImportParts
  const chosen = shown.filter((part) => parts.has(part))
  const isWhole = chosen.length === shown.length
  const [isPublic, setPublic] = useState(false)
  const [isPrivate, setPrivate] = useState(isNewAndPrivate)
  const [status, setStatus] = useState('')
  const [isImporting, setImporting] = useState(false)
  const { run, problem, isBusy } = useAction({ explain, canOverlap: true })

  const send = (isDryRun: boolean, signal?: AbortSignal) => {
    setStatus(importStrings.waiting)
    const query = importQuery({
      isDryRun,
      parts: chosen,
      isWhole,
      isPublic: isPublic && !isPrivate,
      isPrivate,
    })
    return upload<Report>(`${importPath}?${query}`, {
      method: 'POST',
      file,
      onReady: () => setStatus(isDryRun ? importStrings.previewing : importStrings.importing),
      ...(signal && { signal }),
    })
  }

  useEffect(() => {
    // An interrupted preview runs again when the server is reachable.
    if (chosen.length === 0 || isOffline.value) return
    const controller = new AbortController()
    run(async () => {
      const preview = await send(true, controller.signal)
      setReport(preview)
      if (preview)
        announce(
          importStrings.tallies(importStrings.formats[preview.format], describeCounts(preview)),
        )
    })
    return () => controller.abort()
  }, [file, parts, isPublic, isPrivate, isOffline.value])

  const isReady = !isBusy && chosen.length > 0 && report !== null
  const runImport = () => {
    if (!isReady) return
    setImporting(true)
    run(async () => {
      try {
        const imported = await send(false)
        if (imported) onDone(imported)
      } finally {
        setImporting(false)
      }
    })
  }
  return (
    <section class="card" aria-busy={isBusy}>
      <h2 ref={heading} tabIndex={-1}>
        {report ? importStrings.formats[report.format] : importStrings.import}
      </h2>
      <p class="quiet">{importStrings.fileSize(file.name, formatSize(file.size))}</p>
      {report && (
        <>
          <ImportReport report={report} />
          <Choices
            {...{ report, shown, parts, setParts, isPublic, setPublic, isPrivate, setPrivate }}
            isOff={isImporting}
          />
        </>
      )}
      <p role="status" class="quiet">
        {isBusy && status}
      </p>
      <ProblemText text={problem || (chosen.length === 0 ? importStrings.noParts : '')} />
      <div class="row">
        {report && (
          <button
            type="button"
            class="main"
            aria-disabled={isOffline.value || !isReady}
            onClick={runImport}
          >
            {importStrings.import}
          </button>
        )}
        {/* An import that runs can no longer be stopped. */}
        {!isImporting && (
          <>
            <ChooseFile label={importStrings.another} onFile={onFile} />
            <button
              type="button"
              onClick={() => {
                importFile.value = null
              }}
            >
              {strings.cancel}
            </button>
          </>
        )}
      </div>
    </section>
  )
}

interface ChoicesProps {
  report: Report
  shown: readonly ImportPart[]
  parts: ReadonlySet<ImportPart>
  setParts: (parts: ReadonlySet<ImportPart>) => void
  isPublic: boolean
  setPublic: (isPublic: boolean) => void
  isPrivate: boolean
  setPrivate: (isPrivate: boolean) => void
  isOff: boolean
}

/** A new system that was created as private stays private by default, whatever the file says. */
function isNewAndPrivate(): boolean {
  return members.value.length === 0 && system.value?.privacy?.member_list_privacy === 'private'
}

function Choices({
  report,
  shown,
  parts,
  setParts,
  isPublic,
  setPublic,
  isPrivate,
  setPrivate,
  isOff,
}: ChoicesProps) {
  return (
    <fieldset class="choice" disabled={isOff}>
      <legend>{importStrings.parts}</legend>
      {shown.map((part) => (
        <label key={part} class="check">
          <input
            type="checkbox"
            checked={parts.has(part)}
            onChange={({ currentTarget: { checked } }) =>
              setParts(
                new Set(
                  allImportParts.filter((other) => (other === part ? checked : parts.has(other))),
                ),
              )
            }
          />
          {(report.ext && findText(importStrings.choices, part)) ?? nameOfPart(part)}
        </label>
      ))}
      <p class="quiet small">{importStrings.allParts}</p>
      <CheckField
        id="keep-private"
        label={importStrings.keepPrivate}
        hint={importStrings.keepPrivateMore(memberWord.value)}
        value={isPrivate}
        onChange={setPrivate}
      />
      {report.format === 'simplyplural' && !isPrivate && (
        <CheckField
          id="publish"
          label={importStrings.friends}
          hint={importStrings.friendsMore}
          value={isPublic}
          onChange={setPublic}
        />
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
      {report.format === 'simplyplural' && <AvatarArchive />}
      <div class="row">
        <a class="button" href="#/now">
          {importStrings.toNow}
        </a>
        <ChooseFile label={importStrings.another} onFile={onFile} />
      </div>
    </section>
  )
}

function describeCounts(report: Report): string[] {
  return talliesOf(report).map(([part, tally]) =>
    importStrings.tally(nameOfPart(part), countsOf(tally)),
  )
}

function explain(cause: unknown): string {
  if (cause instanceof ApiError && cause.status === 413) return importStrings.tooLarge
  if (cause instanceof ApiError && cause.status === 400 && cause.code === 0)
    return explainFile(cause.message)
  return errorMessage(cause)
}

function explainFile(message: string): string {
  const [, version] = /PluralPort version ([\d.]+), this/.exec(message) ?? []
  if (version !== undefined) return importStrings.otherVersion(version)
  const [, inside] = /use the file (\S+) inside/.exec(message) ?? []
  if (inside !== undefined) return importStrings.isZip(inside)
  const [, app] = /a file of (Plural \w+), which/.exec(message) ?? []
  if (app !== undefined) return importStrings.otherApp(app)
  return message.includes('multitude.ext has version') ||
    message.includes('app.multitude has version')
    ? importStrings.newer
    : importStrings.unreadable
}

function formatSize(bytes: number): string {
  const kilobytes = Math.ceil(bytes / 1024)
  return kilobytes < 1000
    ? importStrings.kilobytes(kilobytes)
    : importStrings.megabytes(kilobytes / 1024)
}
