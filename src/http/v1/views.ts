import { type Member, member } from '../../model/member'
import { type Audience, audienceOf, isWatcher, redact, type Viewer } from '../../model/privacy'
import { type System, system, withWatcherVisibility } from '../../model/system'
import { memberToV1, systemToV1 } from '../../serializers/v1'

export const TAG = 'Version 1 (deprecated)'

export function showSystem(row: System, viewer: Viewer) {
  const visible = isWatcher(viewer, row.id) ? withWatcherVisibility(row) : row
  return systemToV1(redact(system, visible, audienceOf(viewer, row.id)))
}

export function showMember(row: Member, audience: Audience) {
  return memberToV1(redact(member, row, audience))
}
