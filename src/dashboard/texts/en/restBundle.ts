import { bulk } from './bulk'
import { create } from './create'
import { edit } from './edit'
import { friends } from './friends'
import { history } from './history'
import { importing } from './import'
import { insights } from './insights'
import { member } from './member'
import { more } from './more'
import { privacy } from './privacy'
import { publicView } from './publicView'
import { system } from './system'

/** English texts of the pages that are loaded when they are opened. */
export const rest = {
  bulk,
  create,
  edit,
  friends,
  history,
  importing,
  insights,
  member,
  more,
  privacy,
  publicView,
  system,
}
