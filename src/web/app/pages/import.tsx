import { Page } from '../parts/page'
import { BringIn } from '../parts/transfer/bringIn'
import { TakeAway } from '../parts/transfer/takeAway'
import { words } from '../words'

/** A home for what people bring, and a way out with everything. */
export function Import() {
  return (
    <Page place={words.import}>
      <BringIn />
      <TakeAway />
    </Page>
  )
}
