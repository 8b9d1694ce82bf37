import { invitation } from '../core/route'
import { ExportCard } from '../features/transfer/exportCard'
import { ImportForm } from '../features/transfer/importForm'
import { sharingStrings, strings } from '../texts/texts'
import { Page } from '../ui/page'

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
