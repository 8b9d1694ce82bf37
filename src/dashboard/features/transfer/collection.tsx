import { useState } from 'preact/hooks'
import { api, archivedRowsPath } from '../../api/resources'
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
import { BackToArchive } from './archiveList'
import { describeCollection } from './importReportView'

/** The rows of a collection, and a button that deletes them. */
export function CollectionPage({ name }: { name: string }) {
  const { data, problem, reload } = useQuery(api.archive.list, 'archive')
  const archived = data?.find(({ collection }) => collection === name)
  const title = archived
    ? capitalize(describeCollection(name, archived.rows))
    : strings.archivedData
  return (
    <Page title={title} actions={<BackToArchive />}>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {archived ? (
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

const PAGE_SIZE = 20

/** A page of rows, and the following ones on request. */
function Rows({ name, after }: { name: string; after: string }) {
  const path = archivedRowsPath(name, after, PAGE_SIZE)
  const { data, problem, reload } = useQuery(path, 'archive')
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
        {data.rows.map((row, index) => (
          <ArchivedRow key={index} row={row} />
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
    await api.archive.remove(name)
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
