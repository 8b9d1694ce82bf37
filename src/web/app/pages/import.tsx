import { ExportCard } from '../components/import/exportCard'
import { ImportForm } from '../components/import/importForm'
import { Page } from '../components/page'
import { strings } from '../strings'

/** A home for what people bring, and a way out with everything. */
export function Import() {
  return (
    <Page place={strings.import}>
      <ImportForm />
      <ExportCard />
    </Page>
  )
}
