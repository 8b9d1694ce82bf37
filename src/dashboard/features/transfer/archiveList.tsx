import { api } from '../../api/resources'
import type { ArchivedCollection } from '../../api/types'
import { useQuery } from '../../core/useQuery'
import { capitalize } from '../../texts/messages'
import { archiveStrings, editStrings, strings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { LoadProblem } from '../../ui/loadProblem'
import { Page, Skeleton } from '../../ui/page'
import { ConvertButton } from './convertOffer'
import { describeCollection } from './importReportView'
import { OldGroups } from './oldGroups'

/** Collections of archived rows, with the offer to convert them. */
export function ArchiveList() {
  const { data, problem, reload } = useQuery(api.archive.list, 'archive')
  return (
    <Page title={strings.archivedData}>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {data === null ? (
        problem === '' && <Skeleton blocks={['card', 'rows']} />
      ) : data.length === 0 ? (
        <p>{archiveStrings.none}</p>
      ) : (
        <Collections all={data} />
      )}
      <OldGroups />
    </Page>
  )
}

function Collections({ all }: { all: readonly ArchivedCollection[] }) {
  return (
    <>
      <p class="quiet">{archiveStrings.intro}</p>
      {all.some(({ convertible }) => convertible) && (
        <section class="card" aria-label={archiveStrings.offered}>
          <p>{archiveStrings.convertMore}</p>
          <div class="row">
            <ConvertButton />
          </div>
        </section>
      )}
      <ul class="card things">
        {all.map(({ collection, rows, convertible }) => (
          <li key={collection}>
            <a href={`#/archive/rows/${encodeURIComponent(collection)}`}>
              <b>{capitalize(describeCollection(collection, rows))}</b>
              {convertible && (
                <>
                  <br />
                  <span class="quiet small">{archiveStrings.canConvert}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

export function BackToArchive() {
  return (
    <a class="beside" href="#/archive">
      <Icon name="back" />
      {editStrings.backTo(strings.archivedData)}
    </a>
  )
}
