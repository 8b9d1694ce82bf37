import { useState } from 'preact/hooks'
import { fetchResponse } from '../../api/client'
import { exportPath } from '../../api/resources'
import { showToast } from '../../core/actions'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { saveFile } from '../../lib/download'
import { importStrings } from '../../texts/texts'
import { ProblemText } from '../../ui/problemText'

/** Downloads of the export in both formats, the history and the calendar. */
export function ExportCard() {
  const { run, problem, isBusy } = useAction()
  const [current, setCurrent] = useState('')
  const [parts, setParts] = useState({ json: 1, pluralport: 1 })

  const download = (path: string, name: string, file?: keyof typeof parts) =>
    run(async () => {
      setCurrent(name)
      const response = await fetchResponse(path)
      saveFile(name, await response.blob())
      showToast({ text: importStrings.isSaved(name) })
      if (file && response.headers.get('link')?.includes('rel="next"'))
        setParts({ ...parts, [file]: parts[file] + 1 })
    })
  /** A file that may have several parts: the next one. */
  const next = (file: keyof typeof parts, query: string, name: string) => {
    const part = parts[file]
    return {
      file,
      path: `${exportPath}${query}${part === 1 ? '' : `${query ? '&' : '?'}part=${part}`}`,
      name: part === 1 ? `${name}.json` : `${name}-${part}.json`,
      act: part === 1 ? importStrings[file] : importStrings.nextPart(importStrings[file], part),
    }
  }
  const downloads = [
    {
      title: importStrings.everything,
      about: parts.json === 1 ? importStrings.everythingMore : importStrings.partsMore(parts.json),
      ...next('json', '', 'system'),
    },
    {
      title: importStrings.otherApps,
      about:
        parts.pluralport === 1
          ? importStrings.otherAppsMore
          : importStrings.partsMore(parts.pluralport),
      ...next('pluralport', '?format=pluralport', 'pluralport'),
    },
    {
      title: importStrings.history,
      about: importStrings.historyMore,
      act: importStrings.csv,
      path: `${exportPath}/front-history?format=csv`,
      name: 'front-history.csv',
    },
    {
      title: importStrings.calendarTitle,
      about: importStrings.calendarMore,
      act: importStrings.calendar,
      path: `${exportPath}/front-history?format=ics`,
      name: 'front-history.ics',
    },
  ]
  return (
    <section class="card">
      <h2>{importStrings.export}</h2>
      <ProblemText text={problem} />
      <ul class="things">
        {downloads.map(({ title, about, act, path, name, ...more }) => (
          <li key={title}>
            <div class="about">
              <span class="name">{title}</span>
              <div class="quiet small">{about}</div>
            </div>
            <button
              type="button"
              aria-busy={isBusy && current === name}
              aria-disabled={isOffline.value}
              onClick={() => download(path, name, 'file' in more ? more.file : undefined)}
            >
              {act}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
