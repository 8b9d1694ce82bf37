import { useState } from 'preact/hooks'
import { request } from '../../api/client'
import { showToast } from '../../core/actions'
import { goTo } from '../../core/route'
import { useAction } from '../../core/useAction'
import { useQuery } from '../../core/useQuery'
import { capitalize } from '../../texts/messages'
import { archiveStrings, bulkStrings, strings } from '../../texts/texts'
import { ConfirmSheet } from '../../ui/confirmSheet'
import { LoadProblem } from '../../ui/loadProblem'
import { Page, Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { DeleteButton } from '../form/formPage'
import { ArchivedRow } from './archivedRow'
import { ARCHIVE_PATH, type ArchivedCollection, BackToArchive } from './archiveList'
import { describeCollection } from './importReportView'

/** The rows of a collection, and a button that deletes them. */
export function CollectionPage({ name }: { name: string }) {
  const { data, problem, reload } = useQuery<ArchivedCollection[]>(ARCHIVE_PATH, 'archive')
  const found = data?.find(({ collection }) => collection === name)
  const title = found ? capitalize(describeCollection(name, found.rows)) : strings.archivedData
  return (
    <Page title={title} actions={<BackToArchive />}>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {found ? (
        <>
          <Rows name={name} after="0" />
          <DeleteCollection name={name} title={title} />
        </>
      ) : data ? (
        <p>{archiveStrings.noCollection}</p>
      ) : (
        problem === '' && <Skeleton blocks={['card']} />
      )}
    </Page>
  )
}

interface ArchivePage {
  readonly rows: readonly unknown[]
  readonly next: string | null
}

const PAGE_SIZE = 20

/** A page of rows, and the following ones on request. */
function Rows({ name, after }: { name: string; after: string }) {
  const path = `${ARCHIVE_PATH}/${encodeURIComponent(name)}?limit=${PAGE_SIZE}&after=${after}`
  const { data, problem, reload } = useQuery<ArchivePage>(path, 'archive')
  const [hasMore, setMore] = useState(false)
  if (data === null)
    return problem === '' ? (
      <Skeleton blocks={['card']} />
    ) : (
      <LoadProblem text={problem} onRetry={reload} />
    )
  return (
    <>
      <ul class="card things">
        {data.rows.map((row, at) => (
          <ArchivedRow key={at} row={row} />
        ))}
      </ul>
      {data.next !== null &&
        (hasMore ? (
          <Rows name={name} after={data.next} />
        ) : (
          <button type="button" class="plain" onClick={() => setMore(true)}>
            {strings.showMore}
          </button>
        ))}
    </>
  )
}

function DeleteCollection({ name, title }: { name: string; title: string }) {
  const { run, problem } = useAction()
  const remove = async () => {
    await request(`${ARCHIVE_PATH}/${encodeURIComponent(name)}`, { method: 'DELETE' })
    showToast({ text: archiveStrings.isDeleted(title) })
    goTo('#/archive')
  }
  return (
    <>
      <DeleteButton
        confirm={(onClose) => (
          <ConfirmSheet
            heading={bulkStrings.deleteAsk(title)}
            effect={archiveStrings.deleteEffect}
            action={strings.delete}
            onConfirm={() => run(remove)}
            onClose={onClose}
          />
        )}
      />
      <ProblemText text={problem} />
    </>
  )
}
