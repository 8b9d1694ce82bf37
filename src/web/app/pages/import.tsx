import { ExportCard } from '../components/import/exportCard'
import { ImportForm } from '../components/import/importForm'
import { Page } from '../components/page'
import { strings } from '../strings'

export function Import() {
  return (
    <Page title={strings.import}>
      <ImportForm />
      <ExportCard />
    </Page>
  )
}
