import { ExportCard } from '../components/import/exportCard'
import { ImportForm } from '../components/import/importForm'
import { Page } from '../components/page'
import { invitation } from '../route'
import { sharingStrings, strings } from '../strings'

export function Import() {
  return (
    <Page title={strings.import}>
      {invitation.value !== '' && (
        <p class="note">
          {sharingStrings.isWaiting} <a href={invitation.value}>{sharingStrings.answer}</a>
        </p>
      )}
      <ImportForm />
      <ExportCard />
    </Page>
  )
}
