import { type Member, member } from '../../model/member'
import { isOwner, isWatcher, see, type Viewer } from '../../model/privacy'
import { asWatched, type System, system } from '../../model/system'
import { memberToV1, systemToV1 } from '../../wire/v1'

export const TAG = 'Version 1 (deprecated)'

export function showSystem(row: System, viewer: Viewer) {
  const seen = isWatcher(viewer, row.id) ? asWatched(row) : row
  return systemToV1(see(system, seen, isOwner(viewer, row.id)))
}

export function showMember(row: Member, owner: boolean) {
  return memberToV1(see(member, row, owner))
}
