import { Page } from '../parts/page'
import { words } from '../words'

export function Import() {
  return <Page place={words.import}>{''}</Page>
}
